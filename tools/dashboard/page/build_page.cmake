# cmake -DSOURCE=this folder -DWORK=build folder -DMODE=AUTO|ON -P build_page.cmake
#
# Builds the page into WORK/www and writes WORK/page_files.cpp; the report's script into WORK/report.js and
# WORK/report_script.cpp. The packages that package-lock.json pins are
# fetched into WORK once. With AUTO a page that cannot be fetched is left out with a message; WORK/left_out
# states that and is the next configuration's reason to try again.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/fetch_packages.cmake)

file(REMOVE ${WORK}/left_out)
fetch_packages(${SOURCE} ${WORK} "--omit=dev" why)
if(why)
  if(MODE STREQUAL "ON")
    message(FATAL_ERROR "page: ${why}")
  endif()
  message(WARNING "page: left out, the dashboard will have none: ${why}")
  file(WRITE ${WORK}/left_out "${why}\n")
  file(COPY_FILE ${SOURCE}/no_page.cpp ${WORK}/page_files.cpp)
  file(COPY_FILE ${SOURCE}/../../report/no_report_script.cpp ${WORK}/report_script.cpp)
  return()
endif()

foreach(step "build.mjs;${WORK}/www;${WORK}/page_files.cpp" "build_report.mjs;${WORK}/report.js;${WORK}/report_script.cpp")
  execute_process(COMMAND ${node} ${step} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE failed)
  if(failed)
    list(GET step 0 name)
    message(FATAL_ERROR "page: ${name} failed")
  endif()
endforeach()
