# kagami_library(NAME SOURCES file... DEPENDS target... [JOIN n | TOGETHER folder... [ALONE file...]])
#
# One static library with the alias kagami::NAME; headers are included from the repository root. With KAGAMI_UNITY
# on, several files are compiled as one, and their anonymous namespaces share their names: what heavy headers bring is
# then compiled once. The files of each folder TOGETHER are one, but for those ALONE; without TOGETHER, eight are one, or
# JOIN of them.
function(kagami_library name)
  cmake_parse_arguments(arg "" "JOIN" "TOGETHER;ALONE;SOURCES;DEPENDS" ${ARGN})
  add_library(kagami_${name} STATIC ${arg_SOURCES})
  add_library(kagami::${name} ALIAS kagami_${name})
  set_target_properties(kagami_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(kagami_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/kagami>)
  target_compile_features(kagami_${name} PUBLIC cxx_std_20)
  target_link_libraries(kagami_${name} PUBLIC ${arg_DEPENDS} PRIVATE $<BUILD_INTERFACE:kagami_options>)
  kagami_use_precompiled(kagami_${name} libraries)
  if(NOT arg_JOIN)
    set(arg_JOIN 8)
  endif()
  if(KAGAMI_UNITY AND NOT arg_TOGETHER)
    set_target_properties(kagami_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${arg_JOIN})
  elseif(KAGAMI_UNITY AND arg_TOGETHER)
    set_target_properties(kagami_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
    foreach(source IN LISTS arg_SOURCES)
      get_filename_component(folder ${source} DIRECTORY)
      if(folder IN_LIST arg_TOGETHER AND NOT source IN_LIST arg_ALONE)
        string(MAKE_C_IDENTIFIER "${folder}" group)
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP "of_${group}")
      endif()
    endforeach()
  endif()
  if(NOT name MATCHES "test_support$|^command_")  # the parts of programs are for tests
    install(TARGETS kagami_${name} EXPORT kagamiTargets COMPONENT dev)
  endif()
endfunction()
