# kagami_test(FILE [ALONE] [SOURCES file...] [DEPENDS target...] [LABELS label...] [TIMEOUT seconds])
#
# One ctest entry per test file, named after it; it also runs the tests of the SOURCES that are test files. The tests
# of a folder are one program, `FOLDER_tests`, compiled a few files at a time with KAGAMI_UNITY, so that their
# anonymous namespaces share their names; tests labelled threads and those labelled slow or long are a program each,
# since a sanitizer's build takes only the first or leaves out the second. ALONE: a program of its own, named after the
# file, for what replaces functions of the C library.
#
# Labels: unit, property, fault, replay; threads (runs under the thread sanitizer), slow (not under the address
# sanitizer: built there by name alone), long (only by ./kagami test --long), timing, hardware. The test may
# read fixtures below KAGAMI_SOURCE_DIR.
function(kagami_test file)
  if(NOT KAGAMI_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "ALONE" "TIMEOUT" "SOURCES;DEPENDS;LABELS" ${ARGN})
  get_filename_component(name ${file} NAME_WE)
  if(arg_ALONE)
    set(program ${name})
  else()
    kagami_test_program(program ${file} "${arg_LABELS}")
  endif()
  if(NOT TARGET ${program})
    kagami_add_test_program(${program} "${arg_LABELS}")
  endif()
  target_link_libraries(${program} PRIVATE ${arg_DEPENDS})

  get_target_property(known ${program} SOURCES)
  set(names ${name})
  foreach(source ${file} ${arg_SOURCES})
    get_filename_component(source ${source} ABSOLUTE)
    if(NOT source IN_LIST known)
      target_sources(${program} PRIVATE ${source})
    endif()
    get_filename_component(stem ${source} NAME_WE)
    if(stem MATCHES "_test$")
      list(APPEND names ${stem})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES names)

  add_test(NAME ${name} COMMAND ${program} ${names})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 900)  # hangs only: a busy machine takes several times as long
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT})
endfunction()

# sets `result` to the program of a test file: the folder above its `test`, and what of it a sanitizer builds apart
function(kagami_test_program result file labels)
  get_filename_component(path ${file} ABSOLUTE)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
  string(REGEX REPLACE "/test/[^/]*$" "" folder ${path})
  string(REPLACE "/" "_" program ${folder})
  if(labels MATCHES "slow|long")
    string(APPEND program _slow)
  elseif("threads" IN_LIST labels)
    string(APPEND program _threads)
  endif()
  set(${result} ${program}_tests PARENT_SCOPE)
endfunction()

function(kagami_add_test_program program labels)
  add_executable(${program})
  target_link_libraries(${program} PRIVATE kagami_test_main GTest::gtest kagami_options)
  target_compile_definitions(${program} PRIVATE KAGAMI_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  set_target_properties(${program} PROPERTIES KAGAMI_TEST ON)
  kagami_use_precompiled(${program} tests)
  if(KAGAMI_UNITY)
    set_target_properties(${program} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
  endif()
  if("threads" IN_LIST labels)
    add_dependencies(kagami_thread_tests ${program})
  endif()
  # what no sanitizer's run takes need not be compiled for it
  if(KAGAMI_SANITIZE AND labels MATCHES "slow|long")
    set_target_properties(${program} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
endfunction()

if(KAGAMI_TESTS)
  find_package(GTest REQUIRED)
  add_library(kagami_test_main OBJECT ${PROJECT_SOURCE_DIR}/cmake/test/test_main.cpp)
  target_link_libraries(kagami_test_main PUBLIC GTest::gtest PRIVATE kagami_options)
  set_target_properties(kagami_test_main PROPERTIES KAGAMI_TEST ON)
endif()
