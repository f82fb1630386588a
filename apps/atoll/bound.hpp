#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace atl::app {

/// What makes an iteration take as long as it takes.
enum class Bound {
  bandwidth, ///< memory
  compute,   ///< local work that does not reach memory's bandwidth: arithmetic, or caches
  imbalance, ///< ranks wait for one that has more to do, or whose core is shared
  latency,   ///< the number of messages and reductions
  partition  ///< the volume of the halo
};
std::string_view to_string(Bound bound);

/// The seconds of one iteration over all ranks, measured or modelled. What is left beside local work are messages.
struct IterationSplit {
  double seconds = 0;          ///< of the iteration
  double local_mean = 0;       ///< local work, averaged over the ranks
  double local_slowest = 0;    ///< that of the slowest rank, and waits for it
  double halo = 0;             ///< exchange of ghosts
  double halo_latency = 0;     ///< of it: what its messages would cost were they empty
  double reductions = 0;       ///< sums over the ranks
  std::optional<double> least; ///< in which memory can move an average rank's bytes; none: not measured
};

/// The largest of the shares above. Nothing where that is local work and the bandwidth is not known.
std::optional<Bound> bound_of(const IterationSplit& split);

/// "bound by memory bandwidth: ...", one line with the shares.
std::string explain_bound(const IterationSplit& split);

} // namespace atl::app
