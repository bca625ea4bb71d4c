# Compile options that every target of ours shares.
#
# -ffp-contract=off and no -m flag: equal bits on every x86-64 (see docs/decisions/0002-bits.md).
# -fPIC: a Python module or another shared library can be made of the static libraries. -fno-semantic-interposition:
# functions are inlined as without it.
add_library(kagami_options INTERFACE)
target_compile_features(kagami_options INTERFACE cxx_std_20)
target_compile_options(kagami_options INTERFACE
  -ffp-contract=off -fPIC -fno-semantic-interposition -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wold-style-cast
  $<$<BOOL:${KAGAMI_WERROR}>:-Werror>)
if(KAGAMI_SANITIZE)
  # The libraries have every check. In the tests' own code these four cost a third of its compilation
  # and find little that the address sanitizer does not.
  set(fewer "")
  set(not_ours "")
  if(KAGAMI_SANITIZE MATCHES "undefined")
    # the same four, and additions to pointers, at each access inside Eigen: its assertions, which are on here, and
    # the address sanitizer see what they would, and they cost three quarters of the time of a test full of matrices
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      set(not_ours "-fsanitize-ignorelist=${CMAKE_CURRENT_LIST_DIR}/sanitize_ignore.txt")
    endif()
    set(fewer "$<$<BOOL:$<TARGET_PROPERTY:KAGAMI_TEST>>:-fno-sanitize=null,alignment,object-size,vptr>")
  endif()
  target_compile_options(kagami_options INTERFACE
    -fsanitize=${KAGAMI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    ${fewer} ${not_ours})
  target_link_options(kagami_options INTERFACE -fsanitize=${KAGAMI_SANITIZE})
endif()
# Boost.Asio's fences; its locks are seen all the same
if(KAGAMI_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kagami_options INTERFACE -Wno-tsan)
endif()
# GCC forgets in a precompiled header what a system header is, and warns of std::string's inside
if(KAGAMI_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kagami_options INTERFACE
    -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread)
endif()
# GCC takes the files that a unity build joins for headers, and warns of their anonymous namespaces
if(KAGAMI_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(kagami_options INTERFACE -Wno-subobject-linkage)
endif()
