# What `cmake --install` puts where: libraries, headers, robots, motions, and the package files that
# find_package(kagami) reads.
include(CMakePackageConfigHelpers)

install(DIRECTORY models motions drivers control runtime
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/kagami
  FILES_MATCHING PATTERN "*.hpp" PATTERN "test" EXCLUDE PATTERN "data" EXCLUDE)
install(DIRECTORY models/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kagami/robots)
install(DIRECTORY motions/data/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kagami/motions FILES_MATCHING PATTERN "*.json")
install(DIRECTORY control/data/gains DESTINATION ${CMAKE_INSTALL_DATADIR}/kagami FILES_MATCHING PATTERN "*.json")
install(FILES LICENSE CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kagami)
set(data_dir ${CMAKE_INSTALL_DATADIR}/kagami)
install(EXPORT kagamiTargets NAMESPACE kagami:: DESTINATION ${package_dir})
configure_package_config_file(cmake/kagamiConfig.cmake.in ${PROJECT_BINARY_DIR}/kagamiConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS data_dir)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/kagamiConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/kagamiConfig.cmake ${PROJECT_BINARY_DIR}/kagamiConfigVersion.cmake
  DESTINATION ${package_dir})
