find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
find_package(MPI REQUIRED COMPONENTS C)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5-openmpi)

# METIS has neither a CMake nor a pkg-config file in Debian.
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)
add_library(atoll_metis INTERFACE)
target_include_directories(atoll_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(atoll_metis INTERFACE ${METIS_LIBRARY})

# PT-Scotch as the system's other packages link it: its 64-bit builds have the same file names, and a program that
# loads both gets one of them for both. SCOTCH_numSizeof() is checked before the first use.
find_path(SCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch REQUIRED)
find_library(PTSCOTCH_LIBRARY ptscotch REQUIRED)
find_library(SCOTCH_LIBRARY scotch REQUIRED)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr REQUIRED)
add_library(atoll_scotch INTERFACE)
target_include_directories(atoll_scotch SYSTEM INTERFACE ${SCOTCH_INCLUDE_DIR})
target_link_libraries(atoll_scotch INTERFACE ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${PTSCOTCHERR_LIBRARY})

# MPI without its C++ bindings: their header costs 0.7 s a file.
add_library(atoll_mpi INTERFACE)
target_link_libraries(atoll_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(atoll_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
