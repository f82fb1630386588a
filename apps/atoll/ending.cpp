#include "ending.hpp"

#include "summary.hpp"

#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/core/timer.hpp>

#include <unistd.h>

#include <limits>
#include <string_view>

namespace atl::app {

namespace {

void write_to_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t done = ::write(STDERR_FILENO, text.data(), text.size());
    if (done <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(done));
  }
}

/// Waits for the request, but no longer than this.
bool completes(MPI_Request& request, double patience_seconds) {
  const Timer timer;
  for (int done = 0;;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done) return true;
    if (timer.seconds() > patience_seconds) return false;
    usleep(200);
  }
}

} // namespace

struct Ending::Comm {
  MPI_Comm handle = MPI_COMM_NULL;
};

Ending::Ending(double patience_seconds) : comm_(std::make_unique<Comm>()), patience_seconds_(patience_seconds) {
  MPI_Comm_dup(MPI_COMM_WORLD, &comm_->handle);
}

Ending::~Ending() = default;

int Ending::leave(const Outcome& outcome) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm_->handle, &rank);
  MPI_Comm_size(comm_->handle, &size);

  // The largest status, and the lowest rank that has something to say.
  const int mine[2] = {outcome.status, outcome.complaint.empty() ? 0 : size - rank};
  int all[2] = {mine[0], mine[1]};
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(mine, all, 2, MPI_INT, MPI_MAX, comm_->handle, &request);
  // Who did well may be waited for by nobody, and waits as long as it takes; who failed may be alone.
  const double forever = std::numeric_limits<double>::infinity();
  if (!completes(request, outcome.status >= 2 ? patience_seconds_ : forever)) {
    write_to_stderr(outcome.complaint);
    MPI_Abort(MPI_COMM_WORLD, outcome.status);
  }
  if (all[1] > 0 && all[1] == size - rank) write_to_stderr(outcome.complaint);
  MPI_Barrier(comm_->handle);
  MPI_Comm_free(&comm_->handle);
  return all[0];
}

std::string complaint_line(const std::string& text) { return "atoll: " + printable(text) + "\n"; }

} // namespace atl::app
