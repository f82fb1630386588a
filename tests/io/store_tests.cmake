# Stores beyond the unit tests: eight ranks, killed writers, Python's view.
add_test(NAME io.store.mpi.np8
  COMMAND ${MPIRUN} --timeout ${ATOLL_MPIRUN_SECONDS} -n 8 $<TARGET_FILE:test_io> --gtest_filter=MpiStore.*)
atoll_test_properties(io.store.mpi.np8 8)

add_executable(store_tool ${CMAKE_CURRENT_LIST_DIR}/store_tool.cpp ${CMAKE_CURRENT_LIST_DIR}/store_sample.cpp
  ${CMAKE_SOURCE_DIR}/tests/support/random_matrix.cpp)
target_link_libraries(store_tool PRIVATE atoll)
target_include_directories(store_tool PRIVATE ${CMAKE_SOURCE_DIR}/tests)
set_target_properties(store_tool PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# The system's Python: the one that python3-h5py and python3-scipy belong to.
find_program(ATOLL_SYSTEM_PYTHON python3 PATHS /usr/bin NO_DEFAULT_PATH REQUIRED)
foreach(ranks 1 2)
  add_test(NAME io.store.kill.np${ranks}
    COMMAND ${ATOLL_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/store_kill.py $<TARGET_FILE:store_tool> ${MPIRUN}
            ${ranks} 5)
  atoll_test_properties(io.store.kill.np${ranks} ${ranks})
endforeach()
foreach(ranks 1 3)
  add_test(NAME io.store.h5py.np${ranks}
    COMMAND ${ATOLL_SYSTEM_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/store_h5py.py $<TARGET_FILE:store_tool>
            ${CMAKE_SOURCE_DIR}/docs/store.md ${MPIRUN} ${ranks})
  atoll_test_properties(io.store.h5py.np${ranks} ${ranks})
endforeach()
