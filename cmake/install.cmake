# `cmake --install`: the program with its manual page and completions, and the library as a package
# for find_package(humpty). examples/consumer shows its use, tests/package checks it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

target_compile_features(humpty INTERFACE cxx_std_17)  # the header asks for no more
install(TARGETS humpty_cli)
install(TARGETS humpty EXPORT humptyTargets)
install(DIRECTORY include/humpty DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(HUMPTY_PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/humpty)
configure_package_config_file(cmake/humptyConfig.cmake.in humptyConfig.cmake
                              INSTALL_DESTINATION ${HUMPTY_PACKAGE})
write_basic_package_version_file(humptyConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/humptyConfig.cmake
              ${PROJECT_BINARY_DIR}/humptyConfigVersion.cmake DESTINATION ${HUMPTY_PACKAGE})
install(EXPORT humptyTargets NAMESPACE humpty:: DESTINATION ${HUMPTY_PACKAGE})

# The program writes its own manual page and completions, so it has to run on this machine.
function(humpty_install_output destination)
  cmake_path(GET destination PARENT_PATH folder)
  set(made ${PROJECT_BINARY_DIR}/installed/${destination})
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/installed/${folder})
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:humpty_cli>\" ${ARGN}
                                OUTPUT_FILE \"${made}\" COMMAND_ERROR_IS_FATAL ANY)")
  install(FILES ${made} DESTINATION ${folder})
endfunction()

if(NOT CMAKE_CROSSCOMPILING)
  set(share ${CMAKE_INSTALL_DATADIR})
  humpty_install_output(${CMAKE_INSTALL_MANDIR}/man1/humpty.1 manual)
  humpty_install_output(${share}/bash-completion/completions/humpty "completion bash")
  humpty_install_output(${share}/zsh/site-functions/_humpty "completion zsh")
  humpty_install_output(${share}/fish/vendor_completions.d/humpty.fish "completion fish")
endif()
