#pragma once

#include <atoll/comm/communicator.hpp>

namespace atl {

/// Who owns which index of a distributed row or column space, as one rank sees it. Immutable, shared.
/// Layout     Local indices 0 .. n_owned()-1 are the global indices owned_begin() .. owned_end()-1; local index
///            n_owned() + g is ghosts()[g]. Ghosts are sorted by global index, so grouped by owner.
/// Invariant  owned ranges follow one another by rank; ghosts are owned by other ranks, without duplicates.
///            Nothing of length global_size() is held, nor anything of length P.
/// Ranks      create() is collective; all other members are local.
/// Errors     Error{limit} when owned and ghosts exceed a LocalIndex; Error{usage} for a ghost out of range.
class ATOLL_API IndexMap {
 public:
  /// owned_count rows on this rank, in rank order. `ghosts` in any order, duplicates allowed.
  static std::shared_ptr<const IndexMap> create(CommunicatorPtr comm, GlobalIndex owned_count,
                                                std::vector<GlobalIndex> ghosts = {});

  GlobalIndex global_size() const { return global_size_; }
  GlobalIndex owned_begin() const { return owned_begin_; }
  GlobalIndex owned_end() const { return owned_begin_ + n_owned_; }
  LocalIndex n_owned() const { return n_owned_; }
  LocalIndex n_ghosts() const { return static_cast<LocalIndex>(ghosts_.size()); }
  LocalIndex n_local() const { return n_owned_ + n_ghosts(); }
  std::span<const GlobalIndex> ghosts() const { return ghosts_; }
  bool owns(GlobalIndex i) const { return i >= owned_begin() && i < owned_end(); }

  /// Ranks that own ghosts of this rank, ascending, with the number of ghosts of each.
  struct GhostOwner {
    int rank;
    LocalIndex count;
  };
  std::span<const GhostOwner> ghost_owners() const { return ghost_owners_; }

  /// Local index of a global one; -1 where it is neither owned nor a ghost.
  LocalIndex to_local(GlobalIndex i) const;
  GlobalIndex to_global(LocalIndex i) const { return i < n_owned_ ? owned_begin_ + i : ghosts_[i - n_owned_]; }
  const CommunicatorPtr& comm() const { return comm_; }
  std::size_t bytes() const { return ghosts_.capacity() * sizeof(GlobalIndex); }

 private:
  IndexMap() = default;
  CommunicatorPtr comm_;
  GlobalIndex global_size_ = 0, owned_begin_ = 0;
  LocalIndex n_owned_ = 0;
  std::vector<GlobalIndex> ghosts_;
  std::vector<GhostOwner> ghost_owners_;
};
using IndexMapPtr = std::shared_ptr<const IndexMap>;

} // namespace atl
