# cmake -DSOURCE=this folder -DWORK=build folder -DWWW=the built page -DROBOT=robot folder -DMOTIONS=their folder [-DKAGAMI=program] -P run_tests.cmake
#
# Checks the page's types, runs its unit tests, and drives it in Chromium: against a pretended server, and against
# KAGAMI where that is given. Pictures go to WORK/pictures. Skipped with a message without Node, the packages, the
# page or (the browser's part) Chromium.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/fetch_packages.cmake)

if(NOT EXISTS ${WWW}/index.html)
  message(STATUS "SKIPPED: the page was left out of this build")
  return()
endif()
fetch_packages(${SOURCE} ${WORK} "" why)
if(why)
  message(STATUS "SKIPPED: ${why}")
  return()
endif()

function(run what)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "page: ${what} failed")
  endif()
endfunction()

find_program(node node REQUIRED)
run("the check of the types" ${node} node_modules/typescript/bin/tsc -p .)
run("bundling the unit tests" ${node} test/bundle_tests.mjs ${WORK}/unit)
file(GLOB unit ${WORK}/unit/*.test.mjs)
run("a unit test" ${node} --test ${unit})

find_program(chromium NAMES chromium chromium-browser google-chrome)
if(NOT chromium)
  message(STATUS "SKIPPED: Chromium is absent, so the page was not opened")
  return()
endif()
file(GLOB browser ${WORK}/test/browser/*.test.mjs)
list(REVERSE browser)  # the longest first
run("a test in the browser" ${CMAKE_COMMAND} -E env KAGAMI_WWW=${WWW} KAGAMI_URDF=${ROBOT}/robot.urdf KAGAMI_CHROMIUM=${chromium}
  "KAGAMI_PROGRAM=${KAGAMI}" KAGAMI_MOTIONS=${MOTIONS} KAGAMI_ARTEFACTS=${WORK}/pictures ${node} test/run_browser.mjs ${browser})
