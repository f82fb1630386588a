#pragma once

#include <atoll/partition/quality.hpp>

namespace atl {

/// Greedy passes over the boundary: a row moves to the neighbouring part to which most of its edge weight
/// leads, where that shortens the cut (or keeps it and evens the weights) and no part grows beyond `limit`.
/// Odd passes move to lower part numbers, even ones to higher, so that two ranks never swap neighbours for
/// nothing; where several ranks would fill a part, its room is divided by what each wishes. No part loses
/// its last row. part: owned rows, then ghosts, kept current. Collective; a pass costs two reductions of
/// length `parts`.
ATOLL_API void refine(const Context& context, const DGraph& graph, int parts, std::int64_t limit, int passes,
                      std::vector<int>& part);

/// Moves boundary rows out of parts above `limit`, towards the nearest part with room (over parts in between
/// where need be), best for the cut first, until no part is above it or nothing gets better. With rows of
/// weight 1 every part ends at or below the limit, if parts hang together. Collective. Returns rows moved.
ATOLL_API std::int64_t balance(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                               std::vector<int>& part);

/// This rank's share of `room` when all ranks wish `all` of it and this rank `mine`: shares never add up to
/// more than the room.
ATOLL_API std::int64_t fair_share(std::int64_t room, std::int64_t mine, std::int64_t all);

/// Edge weight from one row to the parts around it. Scratch of length `parts`, cleared after each row.
class Connections {
 public:
  explicit Connections(int parts) : weight_(parts, 0) {}
  /// False where all neighbours are in the row's own part.
  bool gather(const DGraph& graph, std::span<const int> part, LocalIndex row) {
    for (const int p : touched_) weight_[p] = 0;
    touched_.clear();
    for (Offset k = graph.offsets[row]; k < graph.offsets[row + 1]; ++k) {
      const int p = part[graph.neighbour[k]];
      if (weight_[p] == 0) touched_.push_back(p);
      weight_[p] += graph.edge(k);
    }
    return touched_.size() > 1 || (touched_.size() == 1 && touched_[0] != part[row]);
  }
  std::span<const int> parts() const { return touched_; }
  std::int64_t to(int p) const { return weight_[p]; }

 private:
  std::vector<std::int64_t> weight_;
  std::vector<int> touched_;
};

} // namespace atl
