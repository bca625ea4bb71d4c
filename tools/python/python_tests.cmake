# Tests of the Python module, labelled python. Without the module or NumPy they are skipped with the reason.
set(unable "${why}")
if(NOT why)
  execute_process(COMMAND ${Python_EXECUTABLE} -c "import numpy" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(unable "they need python3-numpy")
  endif()
endif()

# kagami_python_test(NAME LABELS label... [TIMEOUT seconds] SCRIPT file [argument...])
function(kagami_python_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "LABELS;SCRIPT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(unable)
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo "SKIPPED: ${unable}")
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E env
      PYTHONPATH=${CMAKE_CURRENT_BINARY_DIR} PYTHONDONTWRITEBYTECODE=1 KAGAMI_PROGRAM=$<TARGET_FILE:kagami>
      KAGAMI_SOURCE=${PROJECT_SOURCE_DIR} KAGAMI_BUILT=${PROJECT_BINARY_DIR}
      ${Python_EXECUTABLE} -W error::ResourceWarning ${arg_SCRIPT})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT}
    SKIP_REGULAR_EXPRESSION "SKIPPED: ")
endfunction()

foreach(test record runs)
  kagami_python_test(python_${test}_test LABELS python slow SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/test/test_${test}.py -v)
endforeach()
foreach(tutorial read_a_record why_apart parameter_study)
  kagami_python_test(python_tutorial_${tutorial} LABELS python slow
    SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/test/run_tutorial.py ${PROJECT_SOURCE_DIR}/docs/tutorials/${tutorial}.py)
endforeach()
# `pip install .` of a copy of the tree, with what is built here; the long one compiles
kagami_python_test(python_install_test LABELS python slow SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/test/test_install.py -v)
kagami_python_test(python_install_long_test LABELS python long TIMEOUT 3600
  SCRIPT ${CMAKE_CURRENT_SOURCE_DIR}/test/test_install.py --compile -v)
