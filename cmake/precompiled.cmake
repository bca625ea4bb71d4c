# kagami_precompile(NAME [HEADERS header...] [DEPENDS target...])
#
# The heavy headers, and those named, compiled once for every target that later calls
# kagami_use_precompiled(TARGET NAME). Reading them all takes GCC three seconds a file.
find_package(Eigen3 REQUIRED)
find_package(nlohmann_json REQUIRED)

function(kagami_precompile name)
  if(NOT KAGAMI_PCH)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "HEADERS;DEPENDS" ${ARGN})
  set(source ${PROJECT_BINARY_DIR}/precompiled_${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "")
  add_library(kagami_precompiled_${name} OBJECT ${source})
  if(name STREQUAL "tests")
    set_target_properties(kagami_precompiled_${name} PROPERTIES KAGAMI_TEST ON)
  endif()
  target_link_libraries(kagami_precompiled_${name} PRIVATE kagami_options Eigen3::Eigen
    nlohmann_json::nlohmann_json ${arg_DEPENDS})
  target_precompile_headers(kagami_precompiled_${name} PRIVATE
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <map> <memory>
    <optional> <sstream> <string> <vector> <Eigen/Dense> <nlohmann/json.hpp>
    ${arg_HEADERS})
endfunction()

function(kagami_use_precompiled target name)
  if(KAGAMI_PCH)
    target_precompile_headers(${target} REUSE_FROM kagami_precompiled_${name})
  endif()
endfunction()

kagami_precompile(libraries)
