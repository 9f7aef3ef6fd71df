# What the build stands on, found or named. One message lists all that is missing, with the Debian
# packages of scripts/setup, instead of the first CMake stumbles over.
include(CheckLanguage)

set(HUMPTY_MISSING "")
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
else()
  list(APPEND HUMPTY_MISSING "a C++ compiler")
endif()

macro(humpty_need name)
  if(CMAKE_CXX_COMPILER)
    find_package(${name} QUIET ${ARGN})
    if(NOT ${name}_FOUND)
      list(APPEND HUMPTY_MISSING ${name})
    endif()
  endif()
endmacro()

humpty_need(fmt)
humpty_need(Threads)
humpty_need(nlohmann_json)
humpty_need(FastFloat)
humpty_need(hwy)  # headers only, see src/net/target.hpp
humpty_need(Eigen3 NO_MODULE)
humpty_need(CLI11)

if(HUMPTY_MISSING)
  file(STRINGS scripts/setup packages REGEX "^build=")
  string(REGEX REPLACE "^build=|\"" "" packages "${packages}")
  list(JOIN HUMPTY_MISSING ", " missing)
  message(FATAL_ERROR "humpty: these are missing to build it: ${missing}\n"
    "On Debian and its kin, as root, run: apt-get install ${packages}\n")
endif()
