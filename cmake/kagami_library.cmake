# kagami_library(NAME SOURCES file... DEPENDS target...)
#
# One static library with the alias kagami::NAME; headers are included from the repository root.
function(kagami_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(kagami_${name} STATIC ${arg_SOURCES})
  add_library(kagami::${name} ALIAS kagami_${name})
  set_target_properties(kagami_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(kagami_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kagami>)
  target_compile_features(kagami_${name} PUBLIC cxx_std_20)
  target_link_libraries(kagami_${name} PUBLIC ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:kagami_options>)
  kagami_use_precompiled(kagami_${name} libraries)
  if(NOT name MATCHES "test_support$")
    install(TARGETS kagami_${name} EXPORT kagamiTargets)
  endif()
endfunction()
