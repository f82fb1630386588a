#pragma once
/// What refine() and balance() share: rows that change their part, and the books that all ranks keep of it.

#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/quality.hpp>

namespace atl {

/// A row that would like to be in part `to`; gain is by how much the cut's edge weight falls.
struct Move {
  LocalIndex row;
  int to;
  std::int64_t gain;
};
/// Best first; equals stay in row order.
void sort_by_gain(std::vector<Move>& moves);

/// This rank's share of `room` when all ranks wish `all` of it and this rank `mine`: shares never add up to
/// more than the room.
ATOLL_API std::int64_t fair_share(std::int64_t room, std::int64_t mine, std::int64_t all);

/// Edge weight from one row to the parts around it. Scratch of length `parts`, cleared after each row.
class Connections {
 public:
  explicit Connections(int parts) : weight_(parts, 0) {}
  /// False where all neighbours are in the row's own part.
  bool gather(const DGraph& graph, std::span<const int> part, LocalIndex row);
  std::span<const int> parts() const { return touched_; }
  std::int64_t to(int p) const { return weight_[p]; }

 private:
  std::vector<std::int64_t> weight_;
  std::vector<int> touched_;
};

/// The part of each row and what the parts hold. Loads are the same on all ranks; moves since the last
/// settle() are not in them yet. Length `parts`, for one step of set-up.
class PartMoves {
 public:
  PartMoves(Communicator& c, const DGraph& g, int n_parts, std::int64_t weight_limit, std::vector<int>& part_of_row)
      : comm(c), graph(g), parts(n_parts), limit(weight_limit), part(part_of_row),
        loads(measure_loads(c, g, part_of_row, n_parts)), connections(n_parts), ghosts_(g.halo),
        delta_(2 * parts + 1, 0) {}

  std::int64_t weight(LocalIndex row) const { return graph.weight[row]; }
  std::int64_t room(std::size_t p) const { return std::max<std::int64_t>(0, limit - loads.weight[p]); }
  std::int64_t excess(std::size_t p) const { return std::max<std::int64_t>(0, loads.weight[p] - limit); }
  /// Looks at the parts around a row; false where it lies inside its own.
  bool look_around(LocalIndex row) { return connections.gather(graph, part, row); }
  /// What the cut gains when the row that was looked at moves.
  std::int64_t gain(LocalIndex row, int to) const { return connections.to(to) - connections.to(part[row]); }

  void move(LocalIndex row, int to);
  /// Enters the moves of all ranks into the loads and shows them to neighbours. Returns how many there were.
  /// Collective.
  std::int64_t settle();

  Communicator& comm;
  const DGraph& graph;
  const std::size_t parts;
  const std::int64_t limit;
  std::vector<int>& part; ///< owned rows, then ghosts
  PartLoads loads;
  Connections connections;

 private:
  GhostValues<int> ghosts_;
  std::vector<std::int64_t> delta_; ///< weights, rows, moves
};

} // namespace atl
