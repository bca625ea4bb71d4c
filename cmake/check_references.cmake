# cmake -P check_references.cmake: fails when code cites a source that docs/references.md does not list.
#
# A legend introduces its keys as "[KEY] = source"; "[Name 2008]" cites by the key itself.
cmake_minimum_required(VERSION 3.25)
get_filename_component(root "${CMAKE_CURRENT_LIST_DIR}/.." ABSOLUTE)
if(DEFINED SOURCE_DIR)
  set(root "${SOURCE_DIR}")
endif()

set(keys "")
file(STRINGS "${root}/docs/references.md" rows REGEX "^\\| ")
foreach(row IN LISTS rows)
  string(REGEX REPLACE "^\\| ([^|]+) \\|.*" "\\1" cell "${row}")
  string(REPLACE ", " ";" cell "${cell}")
  list(APPEND keys ${cell})
endforeach()

set(unknown "")
set(cited 0)
file(GLOB_RECURSE files RELATIVE "${root}"
  "${root}/models/*.?pp" "${root}/motions/*.?pp" "${root}/drivers/*.?pp" "${root}/control/*.?pp"
  "${root}/runtime/*.?pp" "${root}/tools/*.?pp")
foreach(file IN LISTS files)
  file(STRINGS "${root}/${file}" lines REGEX "^ *//.*\\[[A-Z][A-Za-z]*( [12][0-9][0-9][0-9])?\\]")
  foreach(line IN LISTS lines)
    string(REGEX MATCHALL "\\[[A-Z][A-Za-z]* [12][0-9][0-9][0-9]\\]|\\[[A-Z][A-Za-z]*\\] = [A-Zw]" found "${line}")
    foreach(citation IN LISTS found)
      string(REGEX REPLACE "^\\[([^]]+)\\].*" "\\1" key "${citation}")
      math(EXPR cited "${cited} + 1")
      if(NOT key IN_LIST keys)
        string(APPEND unknown "  ${file} cites ${key}\n")
      endif()
    endforeach()
  endforeach()
endforeach()

if(unknown)
  message(FATAL_ERROR "sources that docs/references.md does not list:\n${unknown}")
endif()
if(cited EQUAL 0)
  message(FATAL_ERROR "no citation found: is ${root} the source folder?")
endif()
message(STATUS "references: ${cited} citations, every one listed")
