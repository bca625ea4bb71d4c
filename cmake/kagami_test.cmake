# kagami_test(FILE [SOURCES file...] [DEPENDS target...] [LABELS label...] [TIMEOUT seconds])
#
# One GoogleTest program per file, one ctest entry per program, named after the file. Labels: unit,
# property, fault, replay; threads (runs under the thread sanitizer), slow (not under the address
# sanitizer: built there by name alone), long (only by ./kagami test --long), timing, hardware. The test may
# read fixtures below KAGAMI_SOURCE_DIR.
function(kagami_test file)
  if(NOT KAGAMI_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPENDS} GTest::gtest_main kagami_options)
  target_compile_definitions(${name} PRIVATE KAGAMI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${name} PROPERTIES KAGAMI_TEST ON)
  kagami_use_precompiled(${name} tests)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)  # hangs only: a busy machine takes several times as long
  endif()
  if("threads" IN_LIST arg_LABELS)
    add_dependencies(kagami_thread_tests ${name})
  endif()
  # what no sanitizer's run takes need not be compiled for it
  if(KAGAMI_SANITIZE AND arg_LABELS MATCHES "slow|long")
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()
