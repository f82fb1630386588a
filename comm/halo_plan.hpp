#pragma once

#include <atoll/comm/index_map.hpp>

namespace atl {

/// Which owned values go to whom, and whose values fill which ghosts. Immutable, shared by all vectors and
/// matrices over one IndexMap.
/// Layout     neighbours ascending by rank. The receive list of neighbour j is a contiguous run of ghosts; its
///            send list is a run of send_index, local owned indices in the order of the receiver's ghosts.
/// Ranks      create() is collective (the receivers' wishes travel to the owners); the rest is local.
class ATOLL_API HaloPlan {
 public:
  static std::shared_ptr<const HaloPlan> create(IndexMapPtr map);

  struct Neighbour {
    int rank;
    LocalIndex count; ///< values sent to, or received from, this neighbour
  };
  std::span<const Neighbour> send() const { return send_; }
  std::span<const Neighbour> receive() const { return receive_; }
  std::span<const LocalIndex> send_index() const { return send_index_; }
  LocalIndex n_send() const { return static_cast<LocalIndex>(send_index_.size()); }
  LocalIndex n_receive() const { return map_->n_ghosts(); }
  const IndexMapPtr& map() const { return map_; }
  std::size_t bytes() const { return send_index_.capacity() * sizeof(LocalIndex); }

 private:
  HaloPlan() = default;
  IndexMapPtr map_;
  std::vector<Neighbour> send_, receive_;
  std::vector<LocalIndex> send_index_;
};
using HaloPlanPtr = std::shared_ptr<const HaloPlan>;

} // namespace atl
