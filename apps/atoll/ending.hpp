#pragma once

#include <memory>
#include <string>

namespace atl::app {

/// How one rank's run went.
struct Outcome {
  int status = 0;
  std::string complaint; ///< for standard error; empty when there is nothing to say
};

/// Lets the ranks leave together, with one status: the largest. The lowest rank with a complaint prints it
/// before any rank leaves. Ranks that failed alone, so that the others still wait for them elsewhere, are not
/// left hanging: they print, and end the whole job after `patience_seconds`. Collective over MPI_COMM_WORLD.
class Ending {
 public:
  explicit Ending(double patience_seconds = 20);
  ~Ending();
  int leave(const Outcome& outcome);

 private:
  struct Comm; ///< a communicator of its own, made while all is well: nothing else can be under way on it
  std::unique_ptr<Comm> comm_;
  double patience_seconds_;
};

/// One line for standard error: "atoll: " and the text, printable.
std::string complaint_line(const std::string& text);

} // namespace atl::app
