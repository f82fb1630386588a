// The main program of every test executable, alone or under mpirun: one rank prints, all ranks end with the
// same status.
#include <atoll/comm/mpi_communicator.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

// What the other ranks say: their failures and nothing else.
class FailurePrinter : public testing::EmptyTestEventListener {
 public:
  explicit FailurePrinter(int rank) : rank_(rank) {}

 private:
  // UnitTest's own members must not be asked for the name later: they wait for the lock under which failures are told.
  void OnTestStart(const testing::TestInfo& info) override {
    test_ = std::string(info.test_suite_name()) + "." + info.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s: %s:%d: %s\n", rank_, test_.c_str(),
                 result.file_name() ? result.file_name() : "?", result.line_number(), result.message());
  }

  int rank_;
  std::string test_;
};

int rank_in_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// The listener of rank 0 prints as usual; the default printer of the others is replaced.
void choose_printer(int rank) {
  if (rank == 0) return;
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new FailurePrinter(rank));
}

int run_tests() {
  const int failed = RUN_ALL_TESTS();
  const bool none = testing::UnitTest::GetInstance()->test_to_run_count() == 0;
  if (none) std::fprintf(stderr, "no test matches the filter: that is a failure\n");
  return failed || none ? EXIT_FAILURE : EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  atl::MpiSession session(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  testing::FLAGS_gtest_shuffle = false; // all ranks run the same test at the same time
  choose_printer(rank_in_world());
  int status = run_tests();
  MPI_Allreduce(MPI_IN_PLACE, &status, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  return status;
}
