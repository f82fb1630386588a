#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/refine.hpp>

#include <algorithm>
#include <limits>
#include <set>

namespace atl {
namespace {

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 2;

/// Diffusion of weight between parts. Source: the idea of Hu and Blake, Parallel Comput. 25 (1999), with
/// distances to the nearest part with room in place of their potentials.
class Diffusion {
 public:
  Diffusion(Communicator& comm, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part)
      : comm_(comm), graph_(graph), limit_(limit), parts_(parts), part_(part), ghosts_(graph.halo),
        connections_(parts), loads_(measure_loads(comm, graph, part, parts)) {}

  std::int64_t run() {
    constexpr int patience = 12; // an excess may cross that many parts before it lessens
    std::int64_t total = 0, excess = overload(), best = excess;
    for (int waited = 0; excess > 0 && waited < patience;) {
      const std::int64_t moved = pass();
      if (moved == 0) break;
      total += moved;
      excess = overload();
      waited = excess < best ? 0 : waited + 1;
      best = std::min(best, excess);
    }
    return total;
  }

 private:
  struct Move {
    LocalIndex row;
    int to;
    std::int64_t gain;
  };

  std::int64_t overload() const {
    std::int64_t sum = 0;
    for (const std::int64_t weight : loads_.weight) sum += std::max<std::int64_t>(0, weight - limit_);
    return sum;
  }

  /// Steps from each part to the nearest that has room, over neighbouring parts.
  void find_distances() {
    std::set<std::pair<int, int>> adjacent;
    for (LocalIndex i = 0; i < graph_.rows(); ++i)
      for (const LocalIndex j : graph_.neighbours(i))
        if (part_[j] != part_[i]) adjacent.emplace(part_[i], part_[j]);
    distance_.assign(parts_, far);
    for (std::size_t p = 0; p < parts_; ++p)
      if (loads_.weight[p] < limit_) distance_[p] = 0;
    for (bool changed = true; changed;) {
      std::vector<std::int64_t> nearer = distance_;
      for (const auto& [p, q] : adjacent) nearer[p] = std::min(nearer[p], distance_[q] + 1);
      comm_.all_reduce(std::span(nearer), ReduceOp::min);
      changed = nearer != distance_;
      distance_ = std::move(nearer);
    }
  }

  /// The best way out of an overloaded part; to == the row's part where there is none.
  Move best_move(LocalIndex row) {
    const int from = part_[row];
    Move best{row, from, std::numeric_limits<std::int64_t>::min()};
    if (loads_.weight[from] <= limit_ || !connections_.gather(graph_, part_, row)) return best;
    for (const int to : connections_.parts()) {
      if (to == from || distance_[to] >= distance_[from] || distance_[to] >= far) continue;
      if (loads_.weight[to] + graph_.weight[row] > std::max(limit_, loads_.weight[from])) continue;
      const std::int64_t gain = connections_.to(to) - connections_.to(from);
      if (gain > best.gain) best = {row, to, gain};
    }
    return best;
  }

  /// How much this rank shall move out of each part: shares of its excess by what each rank could move, and
  /// the rest to the first rank that can.
  std::vector<std::int64_t> quotas(const std::vector<Move>& moves) {
    std::vector<std::int64_t> mine(parts_, 0), quota(parts_, 0), first(parts_, comm_.size());
    for (const Move& move : moves) {
      mine[part_[move.row]] += graph_.weight[move.row];
      first[part_[move.row]] = comm_.rank();
    }
    std::vector<std::int64_t> all = mine;
    comm_.all_reduce(std::span(all), ReduceOp::sum);
    comm_.all_reduce(std::span(first), ReduceOp::min);
    for (std::size_t p = 0; p < parts_; ++p)
      quota[p] = mine[p] == 0 ? 0 : fair_share(std::max<std::int64_t>(0, loads_.weight[p] - limit_), mine[p], all[p]);
    std::vector<std::int64_t> given = quota;
    comm_.all_reduce(std::span(given), ReduceOp::sum);
    for (std::size_t p = 0; p < parts_; ++p)
      if (first[p] == comm_.rank()) quota[p] += std::max<std::int64_t>(0, loads_.weight[p] - limit_ - given[p]);
    return quota;
  }

  std::int64_t pass() {
    find_distances();
    std::vector<Move> moves;
    for (LocalIndex i = 0; i < graph_.rows(); ++i)
      if (const Move move = best_move(i); move.to != part_[i]) moves.push_back(move);
    std::stable_sort(moves.begin(), moves.end(), [](const Move& a, const Move& b) { return a.gain > b.gain; });

    std::vector<std::int64_t> quota = quotas(moves), delta(2 * parts_ + 1, 0);
    for (const Move& wish : moves) {
      const int from = part_[wish.row];
      const std::int64_t w = graph_.weight[wish.row];
      if (quota[from] <= 0) continue;
      const Move move = best_move(wish.row); // rows nearby have moved meanwhile
      if (move.to == from) continue;
      quota[from] -= w;
      delta[from] -= w;
      delta[move.to] += w;
      --delta[parts_ + from];
      ++delta[parts_ + move.to];
      ++delta.back();
      part_[wish.row] = move.to;
    }
    comm_.all_reduce(std::span(delta), ReduceOp::sum);
    for (std::size_t p = 0; p < parts_; ++p) {
      loads_.weight[p] += delta[p];
      loads_.rows[p] += delta[parts_ + p];
    }
    ghosts_.update(part_);
    return delta.back();
  }

  Communicator& comm_;
  const DGraph& graph_;
  std::int64_t limit_;
  std::size_t parts_;
  std::vector<int>& part_;
  GhostValues<int> ghosts_;
  Connections connections_;
  PartLoads loads_;
  std::vector<std::int64_t> distance_;
};

} // namespace

std::int64_t balance(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                     std::vector<int>& part) {
  if (parts == 1) return 0;
  return Diffusion(*context.comm, graph, parts, limit, part).run();
}

} // namespace atl
