#include <atoll/partition/part_moves.hpp>
#include <atoll/partition/refine.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace atl {
namespace {

constexpr std::int64_t far = std::numeric_limits<std::int64_t>::max() / 2;

/// Takes weight out of parts above the limit. First it flows from part to part along the cut. Source: the idea
/// of Hu and Blake, Parallel Comput. 25 (1999), with distances to the nearest part with room in place of their
/// potentials. What finds no way (the leaves of a hub touch no part but the hub's) then jumps.
class Balancing {
 public:
  Balancing(Communicator& comm, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part)
      : state_(comm, graph, parts, limit, part) {}

  std::int64_t run() {
    constexpr int flow_patience = 12; // an excess may cross that many parts before it lessens
    constexpr int jump_patience = 3;
    const std::int64_t flowed = repeat(flow_patience, [&] { return flow(); });
    return flowed + repeat(jump_patience, [&] { return jump(); });
  }

 private:
  /// Passes until no part is above the limit or `patience` of them made nothing better. Returns rows moved.
  template <class Pass>
  std::int64_t repeat(int patience, const Pass& pass) {
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

  std::int64_t overload() const {
    std::int64_t sum = 0;
    for (std::size_t p = 0; p < state_.parts; ++p) sum += state_.excess(p);
    return sum;
  }

  /// How much this rank shall move out of each part: shares of its excess by what each rank could move, and
  /// the rest to the first rank that can.
  std::vector<std::int64_t> quotas(const std::vector<Move>& moves) {
    std::vector<std::int64_t> mine(state_.parts, 0);
    for (const Move& move : moves) mine[state_.part[move.row]] += state_.weight(move.row);
    return shares(mine, [&](std::size_t p) { return state_.excess(p); });
  }

  /// For each part, this rank's share of amount(p) by what it has of all that the ranks have; they add up to the
  /// amount wherever a rank has any.
  template <class Amount>
  std::vector<std::int64_t> shares(const std::vector<std::int64_t>& mine, const Amount& amount) {
    Communicator& comm = state_.comm;
    std::vector<std::int64_t> all = mine, first(state_.parts, comm.size()), share(state_.parts, 0);
    for (std::size_t p = 0; p < state_.parts; ++p)
      if (mine[p] > 0) first[p] = comm.rank();
    comm.all_reduce(std::span(all), ReduceOp::sum);
    comm.all_reduce(std::span(first), ReduceOp::min);
    for (std::size_t p = 0; p < state_.parts; ++p)
      if (mine[p] > 0) share[p] = fair_share(amount(p), mine[p], all[p]);
    std::vector<std::int64_t> given = share;
    comm.all_reduce(std::span(given), ReduceOp::sum);
    for (std::size_t p = 0; p < state_.parts; ++p)
      if (first[p] == comm.rank()) share[p] += std::max<std::int64_t>(0, amount(p) - given[p]);
    return share;
  }

  // ---- along the cut

  /// Steps from each part to the nearest that has room, over neighbouring parts.
  void find_distances() {
    std::set<std::pair<int, int>> adjacent;
    for (LocalIndex i = 0; i < state_.graph.rows(); ++i)
      for (const LocalIndex j : state_.graph.neighbours(i))
        if (state_.part[j] != state_.part[i]) adjacent.emplace(state_.part[i], state_.part[j]);
    distance_.assign(state_.parts, far);
    for (std::size_t p = 0; p < state_.parts; ++p)
      if (state_.room(p) > 0) distance_[p] = 0;
    for (bool changed = true; changed;) {
      std::vector<std::int64_t> nearer = distance_;
      for (const auto& [p, q] : adjacent) nearer[p] = std::min(nearer[p], distance_[q] + 1);
      state_.comm.all_reduce(std::span(nearer), ReduceOp::min);
      changed = nearer != distance_;
      distance_ = std::move(nearer);
    }
  }

  /// The best way out of an overloaded part; to == the row's part where there is none.
  Move best_move(LocalIndex row) {
    const std::vector<std::int64_t>& loads = state_.loads.weight;
    const int from = state_.part[row];
    Move best{row, from, std::numeric_limits<std::int64_t>::min()};
    if (state_.excess(from) == 0 || !state_.look_around(row)) return best;
    for (const int to : state_.connections.parts()) {
      if (to == from || distance_[to] >= distance_[from] || distance_[to] >= far) continue;
      if (loads[to] + state_.weight(row) > std::max(state_.limit, loads[from])) continue;
      if (const std::int64_t gain = state_.gain(row, to); gain > best.gain) best = {row, to, gain};
    }
    return best;
  }

  std::int64_t flow() {
    find_distances();
    std::vector<Move> moves;
    for (LocalIndex i = 0; i < state_.graph.rows(); ++i)
      if (const Move move = best_move(i); move.to != state_.part[i]) moves.push_back(move);
    sort_by_gain(moves);
    std::vector<std::int64_t> quota = quotas(moves);
    for (const Move& wish : moves) {
      const int from = state_.part[wish.row];
      if (quota[from] <= 0) continue;
      const Move move = best_move(wish.row); // rows nearby have moved meanwhile
      if (move.to == from) continue;
      quota[from] -= state_.weight(wish.row);
      state_.move(wish.row, move.to);
    }
    return state_.settle();
  }

  // ---- to any part with room

  /// Rows of overloaded parts that fit elsewhere, those least tied to their part first, and of these the heaviest.
  std::vector<Move> leavers() {
    std::int64_t room = 0;
    for (std::size_t p = 0; p < state_.parts; ++p) room = std::max(room, state_.room(p));
    std::vector<Move> moves;
    for (LocalIndex i = 0; i < state_.graph.rows(); ++i) {
      const int from = state_.part[i];
      if (state_.excess(from) == 0 || state_.weight(i) > room) continue;
      state_.look_around(i);
      moves.push_back({i, from, -state_.connections.to(from)});
    }
    std::stable_sort(moves.begin(), moves.end(),
                     [&](const Move& a, const Move& b) { return state_.weight(a.row) > state_.weight(b.row); });
    sort_by_gain(moves);
    return moves;
  }

  std::int64_t jump() {
    const std::vector<Move> moves = leavers();
    std::vector<std::int64_t> quota = quotas(moves);
    const std::vector<std::int64_t> mine(state_.parts, std::accumulate(quota.begin(), quota.end(), std::int64_t{0}));
    std::vector<std::int64_t> room = shares(mine, [&](std::size_t p) { return state_.room(p); });
    // The roomiest parts first: rows that jump from one part to one other stay together.
    std::vector<int> order(state_.parts);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return room[a] > room[b]; });
    auto next = order.begin();
    for (const Move& wish : moves) {
      const int from = state_.part[wish.row];
      const std::int64_t w = state_.weight(wish.row);
      if (quota[from] <= 0) continue;
      while (next != order.end() && room[*next] <= 0) ++next;
      const auto to = std::find_if(next, order.end(), [&](int p) { return room[p] >= w; });
      if (to == order.end()) continue;
      quota[from] -= w;
      room[*to] -= w;
      state_.move(wish.row, *to);
    }
    return state_.settle();
  }

  PartMoves state_;
  std::vector<std::int64_t> distance_;
};

} // namespace

std::int64_t balance(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                     std::vector<int>& part) {
  if (parts == 1) return 0;
  return Balancing(*context.comm, graph, parts, limit, part).run();
}

} // namespace atl
