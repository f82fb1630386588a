#pragma once
/// Not installed: the collectives of a virtual cluster.

#include <atoll/comm/collective_call.hpp>
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/comm/virtual_scheduler.hpp>

#include <deque>
#include <memory>
#include <optional>
#include <variant>

namespace atl {

/// One rank's part in a collective, with its buffers.
struct VirtualSeat final : VirtualEvent {
  enum class Kind { barrier, all_reduce, exclusive_sum, broadcast, all_gather } kind = Kind::barrier;
  ReduceOp op = ReduceOp::sum;
  int root = -1;
  std::span<double> reals;
  std::span<std::int64_t> integers;
  std::span<std::byte> bytes;
  std::span<const std::byte> mine;
  CollectiveCall call; ///< blank unless collectives are checked
  bool dropped = false;
  std::optional<Error> error; ///< of all ranks in this collective

  std::string text() const override;
  std::string name() const;
};
using VirtualSeatPtr = std::shared_ptr<VirtualSeat>;

/// The n-th collective of every rank is one meeting. It ends when the last rank comes.
class VirtualMeetings {
 public:
  VirtualMeetings(VirtualScheduler& scheduler, VirtualTraffic& traffic)
      : scheduler_(scheduler), traffic_(traffic), attended_(static_cast<std::size_t>(scheduler.ranks())) {}

  void join(int rank, const VirtualSeatPtr& seat);

 private:
  using Seats = std::vector<VirtualSeatPtr>; // by rank
  struct Meeting {
    Seats seats;
    int present = 0;
  };
  void end(const Seats& seats);
  void count(const VirtualSeat& seat);

  VirtualScheduler& scheduler_;
  VirtualTraffic& traffic_;
  std::vector<std::int64_t> attended_; // meetings of each rank
  std::deque<Meeting> open_;
  std::int64_t ended_ = 0;
};

} // namespace atl
