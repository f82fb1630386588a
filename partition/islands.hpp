#pragma once

#include <atoll/partition/quality.hpp>

namespace atl {

/// Connected pieces of parts. A piece is what of a component lies on one rank; label names its component
/// over all ranks by the smallest row in it.
struct Pieces {
  std::vector<LocalIndex> piece_of; ///< by owned row
  std::vector<GlobalIndex> label;   ///< by piece
  LocalIndex count() const { return static_cast<LocalIndex>(label.size()); }
};

/// Connected components of the rows of equal part. part: owned rows, then ghosts. Collective.
/// Source     Shiloach and Vishkin, J. Algorithms 3 (1982): hooking and pointer jumping, so that rounds grow
///            with the logarithm of the longest chain of pieces.
ATOLL_API Pieces find_pieces(const Context& context, const DGraph& graph, std::span<const int> part);

/// Components of parts other than the largest of each part ("islands") that touch another part join the part
/// to which most of their edges lead, where it then stays at or below `limit`. Collective, a few rounds.
struct IslandCount {
  std::int64_t joined = 0; ///< rows that changed their part
  std::int64_t left = 0;   ///< islands with a neighbouring part that remain
};
ATOLL_API IslandCount join_islands(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                                   std::vector<int>& part);

} // namespace atl
