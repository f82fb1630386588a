#include <atoll/partition/part_moves.hpp>
#include <atoll/partition/refine.hpp>

#include <algorithm>

namespace atl {
namespace {

/// One rank's side of the passes.
class Refinement {
 public:
  Refinement(Communicator& comm, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part)
      : state_(comm, graph, parts, limit, part) {}

  /// Rows moved over all ranks.
  std::int64_t pass(bool upwards) {
    const std::vector<Move> moves = wishes(upwards);
    share_room(moves);
    for (const Move& move : moves) apply(move, upwards);
    return state_.settle();
  }

 private:
  /// The best part for a row to move to, in one direction; its own where nothing is better.
  Move best_move(LocalIndex row, bool upwards) {
    const int from = state_.part[row];
    Move best{row, from, 0};
    if (!state_.look_around(row)) return best;
    const std::vector<std::int64_t>& loads = state_.loads.weight;
    const std::int64_t w = state_.weight(row);
    for (const int to : state_.connections.parts()) {
      if (upwards ? to <= from : to >= from) continue;
      if (loads[to] + w > state_.limit) continue;
      const std::int64_t gain = state_.gain(row, to);
      const bool evens = gain == 0 && loads[to] + w < loads[from];
      if (gain > best.gain || (best.to == from && evens)) best = {row, to, gain};
    }
    return best;
  }

  std::vector<Move> wishes(bool upwards) {
    std::vector<Move> moves;
    for (LocalIndex i = 0; i < state_.graph.rows(); ++i)
      if (const Move move = best_move(i, upwards); move.to != state_.part[i]) moves.push_back(move);
    sort_by_gain(moves);
    return moves;
  }

  /// What this rank may put into each part, and which parts must keep their rows in this pass since all who
  /// wish to leave would empty them.
  void share_room(const std::vector<Move>& moves) {
    const std::size_t parts = state_.parts;
    std::vector<std::int64_t> mine(2 * parts, 0);
    for (const Move& move : moves) {
      mine[move.to] += state_.weight(move.row);
      ++mine[parts + state_.part[move.row]];
    }
    std::vector<std::int64_t> all = mine;
    state_.comm.all_reduce(std::span(all), ReduceOp::sum);
    room_.assign(parts, 0);
    frozen_.assign(parts, false);
    for (std::size_t p = 0; p < parts; ++p) {
      room_[p] = fair_share(state_.room(p), mine[p], all[p]);
      frozen_[p] = all[parts + p] >= state_.loads.rows[p];
    }
  }

  /// Looks again, since rows nearby have moved meanwhile.
  void apply(const Move& wish, bool upwards) {
    const int from = state_.part[wish.row];
    const std::int64_t w = state_.weight(wish.row);
    if (frozen_[from]) return;
    const Move move = best_move(wish.row, upwards);
    if (move.to == from || room_[move.to] < w) return;
    room_[move.to] -= w;
    state_.move(wish.row, move.to);
  }

  PartMoves state_;
  std::vector<std::int64_t> room_;
  std::vector<bool> frozen_;
};

} // namespace

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
