#pragma once
/// Not installed: the messages of a virtual cluster.

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/comm/virtual_scheduler.hpp>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>

namespace atl {

/// Whether channels of this kind were given this fault.
bool has_fault(const VirtualClusterOptions& options, ChannelKind kind, VirtualClusterOptions::Fault fault);

/// One end of a message: a call of send or receive, or a channel's share of one.
struct VirtualCall final : VirtualEvent {
  bool sends = false;
  int rank = 0, peer = 0, tag = 0;
  std::optional<ChannelKind> channel; ///< empty for a message of its own
  std::byte* buffer = nullptr;        ///< only read where it sends
  std::size_t bytes = 0;
  std::source_location where;
  bool dropped = false;

  std::string text() const override;
  std::string place() const;
};
using VirtualCallPtr = std::shared_ptr<VirtualCall>;

/// Joins sends to receives of the same two ranks and tag, in the order of the calls; the bytes move at a time
/// that the scheduler chooses, and only then both ends are done: no send is buffered.
class VirtualMessages {
 public:
  VirtualMessages(VirtualScheduler& scheduler, const VirtualClusterOptions& options, VirtualTraffic& traffic)
      : scheduler_(scheduler), options_(options), traffic_(traffic) {}

  void post(const VirtualCallPtr& call);
  /// The call's buffer is no longer there.
  void drop(const VirtualCallPtr& call);
  /// Throws when a call was never joined.
  void require_none_left() const;

 private:
  using Key = std::tuple<int, int, int, int>; // sender, receiver, kind of channel, tag
  void join(const VirtualCallPtr& a, const VirtualCallPtr& b);
  void deliver(VirtualCall& from, VirtualCall& to);

  VirtualScheduler& scheduler_;
  const VirtualClusterOptions& options_;
  VirtualTraffic& traffic_;
  std::map<Key, std::deque<VirtualCallPtr>> waiting_; // all of one side
};

} // namespace atl
