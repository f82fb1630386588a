#include <atoll/partition/part_moves.hpp>

#include <algorithm>

namespace atl {

void sort_by_gain(std::vector<Move>& moves) {
  std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });
}

std::int64_t fair_share(std::int64_t room, std::int64_t mine, std::int64_t all) {
  if (all <= room) return mine;
  return static_cast<std::int64_t>(static_cast<double>(room) *
                                   (static_cast<double>(mine) / static_cast<double>(all)));
}

bool Connections::gather(const DGraph& graph, std::span<const int> part, LocalIndex row) {
  for (const int p : touched_) weight_[p] = 0;
  touched_.clear();
  for (Offset k = graph.offsets[row]; k < graph.offsets[row + 1]; ++k) {
    const int p = part[graph.neighbour[k]];
    if (weight_[p] == 0) touched_.push_back(p);
    weight_[p] += graph.edge(k);
  }
  return touched_.size() > 1 || (touched_.size() == 1 && touched_[0] != part[row]);
}

void PartMoves::move(LocalIndex row, int to) {
  const int from = part[row];
  delta_[from] -= weight(row);
  delta_[to] += weight(row);
  --delta_[parts + from];
  ++delta_[parts + to];
  ++delta_.back();
  part[row] = to;
}

std::int64_t PartMoves::settle() {
  comm.all_reduce(std::span(delta_), ReduceOp::sum);
  for (std::size_t p = 0; p < parts; ++p) {
    loads.weight[p] += delta_[p];
    loads.rows[p] += delta_[parts + p];
  }
  const std::int64_t moved = delta_.back();
  if (moved > 0) ghosts_.update(part);
  std::fill(delta_.begin(), delta_.end(), 0);
  return moved;
}

} // namespace atl
