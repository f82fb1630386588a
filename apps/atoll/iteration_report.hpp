#pragma once

#include "job.hpp"
#include "roofline.hpp"
#include "session.hpp"

#include <atoll/solvers/solve_result.hpp>

namespace atl::app {

/// What an iteration of a solve moved, and how fast.
struct SolvedIterations {
  SolveTimes times; ///< of this rank
  int iterations = 0;
  Traffic traffic{};     ///< of one iteration on this rank, by the model
  int halo_messages = 0; ///< of one iteration on this rank
  double halo_bytes = 0;
};

/// Time and bytes of an iteration, and what bounds it: the line "speed" and the keys "iteration". Measures the bandwidth
/// where the wish is "measure", or "auto" and the iterations took long. To be called when memory has been reported, for
/// the measurement's arrays count for its peak. Collective.
void report_iteration(Session& session, const std::string& bandwidth_wish, const SolvedIterations& mine);

} // namespace atl::app
