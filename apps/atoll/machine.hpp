#pragma once

#include <cstdint>
#include <string>

namespace atl::app {

/// What the operating system tells about this rank's machine; empty or 0 where it does not.
struct Machine {
  std::string host, system, processor, huge_pages;
  int hardware_threads = 0; ///< that this process may use
  std::int64_t memory_bytes = 0, memory_available_bytes = 0;
};
Machine this_machine();

/// Versions of the libraries that this command was built with or runs on.
struct Versions {
  std::string mpi_standard, mpi_library, mpi_threads;
  std::string hdf5, metis, scotch, compiler;
  bool hdf5_parallel = false;
};
Versions library_versions();

/// Says so, the same on all ranks, where the ranks of one machine have more threads in all than the cores they may use,
/// or a rank more than its own share; else "". Collective over MPI_COMM_WORLD.
std::string oversubscription(int threads_of_a_rank);
/// The text, of the figures of one machine.
std::string oversubscription_text(int ranks, int threads, int cores, int cores_of_a_rank);

/// Machines that the ranks of MPI_COMM_WORLD run on. Collective.
int count_machines();

} // namespace atl::app
