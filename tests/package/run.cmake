# Installs the build into a prefix of its own, builds examples/consumer against it, lets the
# installed program make a puzzle, and compares the consumer's answer with the one that was kept.
cmake_policy(VERSION 3.25)
set(work ${BUILD}/package-test)
set(prefix "${work}/a prefix")  # the space is deliberate
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${code}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file bin/humpty include/humpty/humpty.hpp share/man/man1/humpty.1
             share/bash-completion/completions/humpty share/zsh/site-functions/_humpty
             share/fish/vendor_completions.d/humpty.fish)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "${file} is not in the prefix")
  endif()
endforeach()

if(SANITIZE)
  set(flags -DCMAKE_CXX_FLAGS=-fsanitize=${SANITIZE})
endif()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE}/examples/consumer -B ${work}/build
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} ${flags})
run(${CMAKE_COMMAND} --build ${work}/build)

run(${prefix}/bin/humpty demo -o ${work}/puzzle)
run(${work}/build/consumer ${work}/puzzle)
string(STRIP "${output}" found)
file(READ ${work}/puzzle/answer.json answer)
string(JSON kept GET "${answer}" permutation)
string(REGEX REPLACE "[^0-9,]" "" kept "${kept}")
if(NOT found STREQUAL kept)
  message(FATAL_ERROR "the consumer found ${found}, the answer is ${kept}")
endif()
message("${found} as kept")
file(REMOVE_RECURSE ${work})
