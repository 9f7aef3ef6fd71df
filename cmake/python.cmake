# humpty._core, the package's extension: the library and the program in one module. `pip install .`
# comes here through pyproject.toml.
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
if(NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "humpty: Python's headers are missing to build it.\n"
    "On Debian and its kin, as root, run: apt-get install python3-dev\n")
endif()
execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
                OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE
                COMMAND_ERROR_IS_FATAL ANY)
find_package(nanobind CONFIG REQUIRED)

set(docstrings ${PROJECT_BINARY_DIR}/docstrings/docstrings.inc)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/docstrings)
add_custom_command(
  OUTPUT ${docstrings}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/python/docstrings.py
          ${PROJECT_SOURCE_DIR}/include/humpty/humpty.hpp ${docstrings}
  DEPENDS python/docstrings.py include/humpty/humpty.hpp)

# The library's headers and nanobind's are read once. (Elsewhere they are not: GCC 12 then warns of
# what it keeps quiet about in system headers.)
target_precompile_headers(humpty PRIVATE <algorithm> <functional> <map> <optional> <fmt/format.h>
                          <fmt/ranges.h> ${PROJECT_SOURCE_DIR}/include/humpty/humpty.hpp)

# What looks at names, shapes and text gains nothing from more than -O1.
target_compile_options(humpty_program PRIVATE -O1)
file(GLOB cold CONFIGURE_DEPENDS src/puzzle/*.cpp src/report/*.cpp src/io/safetensors*.cpp
     src/lab/paper*.cpp src/lab/drop.cpp src/lab/study.cpp src/lab/checkpoint.cpp)
set_source_files_properties(${cold} PROPERTIES COMPILE_OPTIONS -O1)

file(GLOB sources CONFIGURE_DEPENDS python/src/*.cpp)
nanobind_add_module(_core NB_STATIC NB_SUPPRESS_WARNINGS ${sources} ${docstrings} $<TARGET_OBJECTS:humpty_program>)
target_precompile_headers(_core PRIVATE python/src/record.hpp)
target_include_directories(_core PRIVATE python/src cli src ${PROJECT_BINARY_DIR}/docstrings)
target_link_libraries(_core PRIVATE humpty humpty_settings fmt::fmt CLI11::CLI11
                                    nlohmann_json::nlohmann_json)

nanobind_add_stub(_core_stub MODULE _core OUTPUT _core.pyi
                  PYTHON_PATH $<TARGET_FILE_DIR:_core> DEPENDS _core)
install(TARGETS _core LIBRARY DESTINATION humpty COMPONENT python)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/_core.pyi DESTINATION humpty COMPONENT python)
