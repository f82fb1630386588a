# What Atoll is built on, all from the system. What is missing is named with the package that has it.

function(atoll_missing what package)
  message(FATAL_ERROR "${what} was not found. On Debian: apt-get install ${package} (or run scripts/bootstrap, "
                      "which installs all that Atoll needs). Elsewhere, tell CMake where it is with "
                      "-DCMAKE_PREFIX_PATH=DIR.")
endfunction()

# atoll_find(NAME PACKAGE find_package-arguments...)
macro(atoll_find name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    atoll_missing(${name} ${package})
  endif()
endmacro()

atoll_find(PkgConfig pkg-config)
atoll_find(Threads libc6-dev)
atoll_find(OpenMP g++ COMPONENTS CXX)
atoll_find(MPI "openmpi-bin libopenmpi-dev" COMPONENTS C)
atoll_find(fmt libfmt-dev)
atoll_find(CLI11 libcli11-dev)
atoll_find(nlohmann_json nlohmann-json3-dev)
atoll_find(Eigen3 libeigen3-dev NO_MODULE)

# Parallel HDF5 by its pkg-config name; the plain name may be a serial build.
pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5-openmpi)
if(NOT HDF5_FOUND)
  pkg_check_modules(HDF5 QUIET IMPORTED_TARGET hdf5-mpi)
endif()
if(NOT HDF5_FOUND)
  atoll_missing("Parallel HDF5 (pkg-config hdf5-openmpi or hdf5-mpi)" libhdf5-openmpi-dev)
endif()

# METIS has neither a CMake nor a pkg-config file in Debian.
find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
if(NOT METIS_INCLUDE_DIR OR NOT METIS_LIBRARY)
  atoll_missing(METIS libmetis-dev)
endif()
add_library(atoll_metis INTERFACE)
target_include_directories(atoll_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
target_link_libraries(atoll_metis INTERFACE ${METIS_LIBRARY})

# PT-Scotch as the system's other packages link it: its 64-bit builds have the same file names, and a program that
# loads both gets one of them for both. SCOTCH_numSizeof() is checked before the first use.
find_path(SCOTCH_INCLUDE_DIR ptscotch.h PATH_SUFFIXES scotch)
find_library(PTSCOTCH_LIBRARY ptscotch)
find_library(SCOTCH_LIBRARY scotch)
find_library(PTSCOTCHERR_LIBRARY ptscotcherr)
if(NOT SCOTCH_INCLUDE_DIR OR NOT PTSCOTCH_LIBRARY OR NOT SCOTCH_LIBRARY OR NOT PTSCOTCHERR_LIBRARY)
  atoll_missing(PT-Scotch libptscotch-dev)
endif()
add_library(atoll_scotch INTERFACE)
target_include_directories(atoll_scotch SYSTEM INTERFACE ${SCOTCH_INCLUDE_DIR})
target_link_libraries(atoll_scotch INTERFACE ${PTSCOTCH_LIBRARY} ${SCOTCH_LIBRARY} ${PTSCOTCHERR_LIBRARY})

# MPI without its C++ bindings: their header costs 0.7 s a file.
add_library(atoll_mpi INTERFACE)
target_link_libraries(atoll_mpi INTERFACE MPI::MPI_C)
target_compile_definitions(atoll_mpi INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
