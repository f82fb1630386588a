#pragma once
/// Small tools of this folder: who owns a row, and items that travel to the rank that shall see them.

#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/core/release.hpp>

#include <algorithm>

namespace atl {

/// The contiguous row ranges of all ranks. Length P: for one step of set-up, not to be kept.
class RowRanges {
 public:
  /// Collective.
  RowRanges(Communicator& comm, GlobalIndex row_begin) : begin_(comm.all_gather(row_begin)) {}
  /// The rank that owns a row; row must be one of the rows.
  int owner(GlobalIndex row) const {
    return static_cast<int>(std::upper_bound(begin_.begin(), begin_.end(), row) - begin_.begin()) - 1;
  }

 private:
  std::vector<std::int64_t> begin_;
};

/// Counts of consecutive items with the same destination. `items` must be grouped by destination.
template <class T, class Destination>
std::vector<PeerCount> count_destinations(const std::vector<T>& items, const Destination& destination) {
  std::vector<PeerCount> counts;
  for (const T& item : items) {
    const int rank = destination(item);
    if (counts.empty() || counts.back().rank != rank) counts.push_back({rank, 0});
    ++counts.back().count;
  }
  return counts;
}

/// Sends every item to the rank destination(item). `items` are put in the order of their destinations, in
/// which replies (exchange_back over the plan) come, too. Collective.
template <class T>
struct Routed {
  BulkExchange plan;
  std::vector<T> items; ///< received, by rank of the sender
};
template <class T, class Destination>
Routed<T> route(const CommunicatorPtr& comm, std::vector<T>& items, const Destination& destination) {
  std::stable_sort(items.begin(), items.end(),
                   [&](const T& a, const T& b) { return destination(a) < destination(b); });
  BulkExchange plan(comm, count_destinations(items, destination));
  std::vector<T> received = exchange<T>(plan, items);
  return {std::move(plan), std::move(received)};
}

} // namespace atl
