# fetch_packages(SOURCE WORK OPTIONS WHY)
#
# Copies the page's sources to WORK and brings their packages there: npm_packages, whose WHY it hands on.
include(${CMAKE_CURRENT_LIST_DIR}/../../../cmake/npm_packages.cmake)

function(fetch_packages source work options why)
  file(MAKE_DIRECTORY ${work})
  file(REMOVE_RECURSE ${work}/src ${work}/test)
  file(COPY ${source}/ DESTINATION ${work} PATTERN node_modules EXCLUDE)
  file(COPY ${source}/../../../LICENSE DESTINATION ${work})
  npm_packages(${source} ${work} "${options}" output)
  set(${why} "${output}" PARENT_SCOPE)
endfunction()
