#pragma once

#include <atoll/comm/communicator.hpp>

#include <functional>
#include <optional>

namespace atl {

/// What a virtual cluster may do to its ranks, beyond a random order of everything.
struct VirtualClusterOptions {
  std::uint64_t seed = 1;        ///< the same seed gives the same interleaving, event by event
  bool in_order = false;         ///< no reordering: ranks run in turn, messages arrive at once
  bool check_collectives = true; ///< as Communicator::check_collectives
  /// Faults of one way to exchange, for tests of the self-proving transport.
  enum class Fault { none, wrong_data, stall } channel_fault = Fault::none;
  std::optional<ChannelKind> faulty_kind = ChannelKind::persistent; ///< empty: both
};

/// What travelled, over all ranks. A reduction of all ranks counts once.
struct VirtualTraffic {
  std::int64_t messages = 0;   ///< point-to-point messages, those of channels included
  std::int64_t bytes = 0;      ///< in those messages
  std::int64_t reductions = 0; ///< all-reduces and exclusive sums
  std::int64_t other_collectives = 0;
};

/// Runs body as `ranks` ranks of one process. Each rank is a thread, but only one runs at a time: a seeded
/// scheduler picks which, and when each message arrives, at every communication call. A run is thus repeatable, finds
/// order-dependent faults, and knows a deadlock when no rank can go on: Error{internal} lists what each rank waits
/// for. Messages that nobody received, and channels still in flight, are errors too.
/// An exception of a rank ends the run: the others leave at their next call, and it is thrown again here (that of the
/// rank which failed first).
ATOLL_API VirtualTraffic run_virtual_cluster(int ranks, const std::function<void(CommunicatorPtr)>& body,
                                             const VirtualClusterOptions& options = {});

/// Counters of a virtual communicator so far (of all ranks); for counting the traffic of one operation. Ranks should
/// be quiet: call it between barriers. Error{usage} for another kind of communicator.
ATOLL_API VirtualTraffic traffic(const Communicator& comm);

/// All-reduces that this rank of a virtual cluster has started and not waited for. Error{usage} as above.
ATOLL_API int reductions_under_way(const Communicator& comm);

} // namespace atl
