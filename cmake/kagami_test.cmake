# kagami_test(FILE [SOURCES file...] [DEPENDS target...] [LABELS label...] [TIMEOUT seconds])
#
# One GoogleTest program per file, one ctest entry per program, named after the file. The test may
# read fixtures below KAGAMI_SOURCE_DIR and, where it exists, KAGAMI_SHARED_DIR.
function(kagami_test file)
  if(NOT KAGAMI_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gtest_main kagami_options)
  target_compile_definitions(${name} PRIVATE
    KAGAMI_SOURCE_DIR="${PROJECT_SOURCE_DIR}" KAGAMI_SHARED_DIR="${PROJECT_SOURCE_DIR}/../shared")
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
