#include "machine.hpp"

#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/io/store.hpp>

#include <fmt/format.h>
#include <metis.h>

#include <cstdio> // before ptscotch.h, which needs FILE
#include <ptscotch.h>

namespace atl::app {

namespace {

std::string first_line(std::string text) {
  text.resize(std::min(text.find('\n'), text.size()));
  return text.substr(0, text.find(", package")); // Open MPI adds who built it, when and from what
}

const char* thread_level(int level) {
  switch (level) {
  case MPI_THREAD_MULTIPLE:
    return "multiple";
  case MPI_THREAD_SERIALIZED:
    return "serialized";
  case MPI_THREAD_FUNNELED:
    return "funneled";
  default:
    return "single";
  }
}

} // namespace

Versions library_versions() {
  Versions versions;
  int major = 0, minor = 0, patch = 0, length = 0;
  MPI_Get_version(&major, &minor);
  versions.mpi_standard = fmt::format("{}.{}", major, minor);
  std::string library(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  MPI_Get_library_version(library.data(), &length);
  library.resize(static_cast<std::size_t>(length));
  versions.mpi_library = first_line(library);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  versions.mpi_threads = thread_level(level);

  const StoreLibrary hdf5 = store_library();
  versions.hdf5 = hdf5.version;
  versions.hdf5_parallel = hdf5.parallel;
  versions.metis = fmt::format("{}.{}.{}, {}-bit indices", METIS_VER_MAJOR, METIS_VER_MINOR, METIS_VER_SUBMINOR,
                               8 * sizeof(idx_t));
  SCOTCH_version(&major, &minor, &patch);
  versions.scotch = fmt::format("{}.{}.{}, {}-bit indices", major, minor, patch, 8 * SCOTCH_numSizeof());
  versions.compiler = "GCC or compatible " __VERSION__;
  return versions;
}

int count_machines() {
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  int rank = 0;
  MPI_Comm_rank(local, &rank);
  MPI_Comm_free(&local);
  int first = rank == 0, machines = 0;
  MPI_Allreduce(&first, &machines, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  return machines;
}

} // namespace atl::app
