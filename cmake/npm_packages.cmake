# npm_packages(SOURCE WORK OPTIONS WHY)
#
# Brings the packages that SOURCE/package-lock.json pins to WORK, unless the same lock was fetched before. Sets
# WHY to a sentence when that was not possible, else to "".
function(npm_packages source work options why)
  set(${why} "" PARENT_SCOPE)
  find_program(node node)
  find_program(npm npm)
  if(NOT node OR NOT npm)
    set(${why} "node or npm is absent" PARENT_SCOPE)
    return()
  endif()
  file(MAKE_DIRECTORY ${work})
  file(COPY ${source}/package.json ${source}/package-lock.json DESTINATION ${work})
  file(SHA256 ${source}/package-lock.json wanted)
  set(have "")
  if(EXISTS ${work}/fetched)
    file(READ ${work}/fetched have)
  endif()
  if(have STREQUAL wanted)
    return()
  endif()
  execute_process(
    COMMAND ${npm} ci ${options} --ignore-scripts --no-audit --no-fund --prefer-offline
      --fetch-retries=1 --fetch-retry-mintimeout=1000 --fetch-timeout=30000
    WORKING_DIRECTORY ${work} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE output TIMEOUT 300)
  if(failed)
    string(REGEX MATCH "[^\n]*" output "${output}")
    set(${why} "npm ci could not fetch the packages: ${output}" PARENT_SCOPE)
    return()
  endif()
  file(WRITE ${work}/fetched ${wanted})
endfunction()
