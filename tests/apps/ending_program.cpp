/// Rank 1 fails while the others wait for it in a collective: what must not happen, and must still end.
#include "ending.hpp"

#include <atoll/comm/mpi_communicator.hpp>

int main(int argc, char** argv) {
  const atl::MpiSession mpi(&argc, &argv);
  atl::app::Ending ending(0.5);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) return ending.leave({5, atl::app::complaint_line("alone\nhere")});
  MPI_Barrier(MPI_COMM_WORLD);
  return ending.leave({});
}
