# What `cmake --install` puts where. Component `runtime`: programs, robots, motions, manual pages. Component `dev`:
# libraries, headers, and the files that find_package(kagami) reads.
include(CMakePackageConfigHelpers)

install(DIRECTORY models motions drivers control runtime
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kagami COMPONENT dev
  FILES_MATCHING PATTERN "*.hpp" PATTERN "test" EXCLUDE PATTERN "data" EXCLUDE)
kagami_install_data(${CMAKE_INSTALL_DATADIR}/kagami)
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# manual pages and completion scripts, written by the program from its help
install(CODE "
  set(prefix \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\")
  set(man \"\${prefix}/${CMAKE_INSTALL_MANDIR}/man1\")
  set(bash \"\${prefix}/${CMAKE_INSTALL_DATADIR}/bash-completion/completions\")
  set(zsh \"\${prefix}/${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions\")
  set(fish \"\${prefix}/${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d\")
  file(MAKE_DIRECTORY \"\${man}\" \"\${bash}\" \"\${zsh}\" \"\${fish}\")
  set(kagami \"$<TARGET_FILE:kagami>\")
  execute_process(COMMAND \"\${kagami}\" help --man --out \"\${man}\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"\${kagami}\" completion bash OUTPUT_FILE \"\${bash}/kagami\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"\${kagami}\" completion zsh OUTPUT_FILE \"\${zsh}/_kagami\" COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND \"\${kagami}\" completion fish OUTPUT_FILE \"\${fish}/kagami.fish\" COMMAND_ERROR_IS_FATAL ANY)
" COMPONENT runtime)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kagami)
set(data_dir ${CMAKE_INSTALL_DATADIR}/kagami)
install(EXPORT kagamiTargets NAMESPACE kagami:: DESTINATION ${package_dir} COMPONENT dev)
configure_package_config_file(cmake/kagamiConfig.cmake.in ${PROJECT_BINARY_DIR}/kagamiConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS data_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kagamiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kagamiConfig.cmake ${PROJECT_BINARY_DIR}/kagamiConfigVersion.cmake
  DESTINATION ${package_dir} COMPONENT dev)
