#include "machine.hpp"
#include "summary.hpp"

#include <atoll/comm/mpi_communicator.hpp>

#include <fmt/format.h>
#include <sched.h>

namespace atl::app {

namespace {

/// The ranks on this rank's machine.
class MachineRanks {
 public:
  MachineRanks() { MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm_); }
  MachineRanks(const MachineRanks&) = delete;
  MachineRanks& operator=(const MachineRanks&) = delete;
  ~MachineRanks() { MPI_Comm_free(&comm_); }

  int size() const {
    int ranks = 1;
    MPI_Comm_size(comm_, &ranks);
    return ranks;
  }
  int least(int value) const {
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, comm_);
    return value;
  }
  /// Cores that one of them or another may use.
  cpu_set_t all(cpu_set_t mine) const {
    MPI_Allreduce(MPI_IN_PLACE, &mine, sizeof mine, MPI_BYTE, MPI_BOR, comm_);
    return mine;
  }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

} // namespace

std::string oversubscription_text(int ranks, int threads, int cores, int cores_of_a_rank) {
  if (cores <= 0 || cores_of_a_rank <= 0) return {};
  if (ranks * threads > cores)
    return fmt::format("{} of {} on a machine with {} for them: they take turns, which is slow, and times say little",
                       counted(ranks, "rank"),
                       threads == 1 ? "1 thread each" : fmt::format("{} threads each", threads),
                       counted(cores, "core"));
  if (threads > cores_of_a_rank)
    return fmt::format("each rank is bound to {} and has {} threads, which take turns there; let mpirun bind "
                       "otherwise, as with --bind-to none",
                       counted(cores_of_a_rank, "core"), threads);
  return {};
}

std::string oversubscription(int threads) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  const bool known = sched_getaffinity(0, sizeof mine, &mine) == 0;
  const MachineRanks machine;
  const cpu_set_t all = machine.all(mine);
  const bool all_known = machine.least(known) != 0;
  // The machine with the most threads a core speaks for all, the first where several have as many.
  const int here[4] = {machine.size(), threads, all_known ? CPU_COUNT(&all) : 0, machine.least(CPU_COUNT(&mine))};
  struct {
    double load;
    int rank;
  } worst{here[2] > 0 ? static_cast<double>(here[0]) * here[1] / here[2] : 0, 0};
  MPI_Comm_rank(MPI_COMM_WORLD, &worst.rank);
  MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  int told[4] = {here[0], here[1], here[2], here[3]};
  MPI_Bcast(told, 4, MPI_INT, worst.rank, MPI_COMM_WORLD);
  return oversubscription_text(told[0], told[1], told[2], told[3]);
}

} // namespace atl::app
