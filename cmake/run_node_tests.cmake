# cmake -DTOOL=program -DSOURCE=folder of the tests -DWORK=build folder -P run_node_tests.cmake
#
# Runs SOURCE's *.test.mjs, one after the other, with the packages of its package-lock.json; they find the program
# under test in KAGAMI_TOOL. Skipped with a message without Node, or where the packages cannot be fetched.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/npm_packages.cmake)

npm_packages(${SOURCE} ${WORK} "" why)
if(why)
  message(STATUS "SKIPPED: ${why}")
  return()
endif()

file(COPY ${SOURCE}/ DESTINATION ${WORK} FILES_MATCHING PATTERN "*.mjs")
file(GLOB tests RELATIVE ${WORK} ${WORK}/*.test.mjs)
find_program(node node REQUIRED)
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env KAGAMI_TOOL=${TOOL} ${node} --test --test-concurrency=1 ${tests}
  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "a test of ${SOURCE} failed")
endif()
