# cmake -DTOOL=program -DSOURCE=this folder -DWORK=build folder -P run_official.cmake
#
# Runs the tests of the dashboard's server with the official client of its protocol. Fetches the packages that
# package-lock.json pins into WORK once. Without Node, or where they cannot be fetched, the test is skipped with
# a word.
cmake_minimum_required(VERSION 3.25)
find_program(node node)
find_program(npm npm)
if(NOT node)
  message(STATUS "SKIPPED: Node is absent")
  return()
endif()

file(MAKE_DIRECTORY ${WORK})
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(stamp ${WORK}/fetched)
set(have "")
if(EXISTS ${stamp})
  file(READ ${stamp} have)
endif()
if(NOT have STREQUAL wanted)
  if(NOT npm)
    message(STATUS "SKIPPED: npm is absent, so the packages cannot be fetched")
    return()
  endif()
  file(COPY ${SOURCE}/package.json ${SOURCE}/package-lock.json DESTINATION ${WORK})
  execute_process(
    COMMAND ${npm} ci --ignore-scripts --no-audit --no-fund --prefer-offline
    WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 200)
  if(failed)
    message(STATUS "SKIPPED: npm ci could not fetch the packages: ${why}")
    return()
  endif()
  file(WRITE ${stamp} ${wanted})
endif()

file(COPY ${SOURCE}/ DESTINATION ${WORK} FILES_MATCHING PATTERN "*.mjs")
execute_process(
  COMMAND ${CMAKE_COMMAND} -E env KAGAMI_TOOL=${TOOL} ${node} --test --test-concurrency=1
    protocol.test.mjs hostile.test.mjs
  WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "a test of the dashboard's server failed")
endif()
