#pragma once

#include <atoll/core/types.hpp>

namespace atl {

/// n indices cut into equal contiguous blocks, one a rank: the layout of files and of model problems before they
/// are partitioned. Closed form, so nothing of length P is stored.
struct BlockRange {
  GlobalIndex n = 0;
  int ranks = 1;

  /// First index of `rank`; begin(ranks) is n. The first n mod ranks blocks hold one index more.
  GlobalIndex begin(int rank) const {
    const GlobalIndex small = n / ranks, more = n % ranks;
    return rank * small + (rank < more ? rank : more);
  }
  GlobalIndex size(int rank) const { return begin(rank + 1) - begin(rank); }
  int owner(GlobalIndex i) const {
    const GlobalIndex small = n / ranks, more = n % ranks, edge = more * (small + 1);
    return static_cast<int>(i < edge ? i / (small + 1) : more + (i - edge) / small);
  }
};

} // namespace atl
