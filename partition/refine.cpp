#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/refine.hpp>

#include <algorithm>

namespace atl {
namespace {

struct Move {
  LocalIndex row;
  int to;
  std::int64_t gain;
};

/// One rank's side of the passes; `loads_` is the same on all ranks between passes.
class Refinement {
 public:
  Refinement(Communicator& comm, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part)
      : comm_(comm), graph_(graph), limit_(limit), parts_(parts), part_(part), ghosts_(graph.halo),
        connections_(parts), loads_(measure_loads(comm, graph, part, parts)) {}

  /// Rows moved over all ranks.
  std::int64_t pass(bool upwards) {
    const std::vector<Move> moves = wishes(upwards);
    share_room(moves);
    std::vector<std::int64_t> delta(2 * parts_ + 1, 0);
    for (const Move& move : moves) apply(move, upwards, delta);
    comm_.all_reduce(std::span(delta), ReduceOp::sum);
    for (std::size_t p = 0; p < parts_; ++p) {
      loads_.weight[p] += delta[p];
      loads_.rows[p] += delta[parts_ + p];
    }
    if (delta.back() > 0) ghosts_.update(part_);
    return delta.back();
  }

 private:
  /// The best part for a row to move to, in one direction; row itself where nothing is better.
  Move best_move(LocalIndex row, bool upwards) {
    const int from = part_[row];
    Move best{row, from, 0};
    if (!connections_.gather(graph_, part_, row)) return best;
    const std::int64_t w = graph_.weight[row];
    for (const int to : connections_.parts()) {
      if (upwards ? to <= from : to >= from) continue;
      if (loads_.weight[to] + w > limit_) continue;
      const std::int64_t gain = connections_.to(to) - connections_.to(from);
      const bool evens = gain == 0 && loads_.weight[to] + w < loads_.weight[from];
      if (gain > best.gain || (best.to == from && evens)) best = {row, to, gain};
    }
    return best;
  }

  std::vector<Move> wishes(bool upwards) {
    std::vector<Move> moves;
    for (LocalIndex i = 0; i < graph_.rows(); ++i)
      if (const Move move = best_move(i, upwards); move.to != part_[i]) moves.push_back(move);
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });
    return moves;
  }

  /// What this rank may put into each part, and which parts must keep their rows in this pass since all who
  /// wish to leave would empty them.
  void share_room(const std::vector<Move>& moves) {
    std::vector<std::int64_t> mine(2 * parts_, 0);
    for (const Move& move : moves) {
      mine[move.to] += graph_.weight[move.row];
      ++mine[parts_ + part_[move.row]];
    }
    std::vector<std::int64_t> all = mine;
    comm_.all_reduce(std::span(all), ReduceOp::sum);
    room_.assign(parts_, 0);
    frozen_.assign(parts_, false);
    for (std::size_t p = 0; p < parts_; ++p) {
      room_[p] = fair_share(std::max<std::int64_t>(0, limit_ - loads_.weight[p]), mine[p], all[p]);
      frozen_[p] = all[parts_ + p] >= loads_.rows[p];
    }
  }

  /// Looks again, since rows nearby have moved meanwhile.
  void apply(const Move& wish, bool upwards, std::vector<std::int64_t>& delta) {
    const int from = part_[wish.row];
    const std::int64_t w = graph_.weight[wish.row];
    if (frozen_[from]) return;
    const Move move = best_move(wish.row, upwards);
    if (move.to == from || room_[move.to] < w) return;
    room_[move.to] -= w;
    delta[from] -= w;
    delta[move.to] += w;
    --delta[parts_ + from];
    ++delta[parts_ + move.to];
    ++delta.back();
    part_[wish.row] = move.to;
  }

  Communicator& comm_;
  const DGraph& graph_;
  std::int64_t limit_;
  std::size_t parts_;
  std::vector<int>& part_;
  GhostValues<int> ghosts_;
  Connections connections_;
  PartLoads loads_;
  std::vector<std::int64_t> room_;
  std::vector<bool> frozen_;
};

} // namespace

std::int64_t fair_share(std::int64_t room, std::int64_t mine, std::int64_t all) {
  if (all <= room) return mine;
  return static_cast<std::int64_t>(static_cast<double>(room) *
                                   (static_cast<double>(mine) / static_cast<double>(all)));
}

void refine(const Context& context, const DGraph& graph, int parts, std::int64_t limit, int passes,
            std::vector<int>& part) {
  if (parts == 1) return;
  Refinement refinement(*context.comm, graph, parts, limit, part);
  std::int64_t last = 1;
  for (int pass = 0; pass < passes; ++pass) {
    const std::int64_t moved = refinement.pass(pass % 2 == 0);
    if (moved == 0 && last == 0) return; // neither direction gains
    last = moved;
  }
}

} // namespace atl
