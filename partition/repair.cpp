#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/islands.hpp>
#include <atoll/partition/refine.hpp>
#include <atoll/partition/repair.hpp>
#include <atoll/partition/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

namespace atl {
namespace {

/// Rows [begin, end) of an old part, counted in row order, that become part `to`.
struct Run {
  std::int64_t begin, end;
  int to;
};

/// Cuts of old parts, by old part: each empty part takes the last half of the longest run there is.
std::map<int, std::vector<Run>> plan_cuts(const std::vector<std::int64_t>& rows) {
  struct Piece {
    std::int64_t rows;
    int old, to;
    std::int64_t begin;
    bool operator<(const Piece& o) const { return std::tie(rows, o.to) < std::tie(o.rows, to); }
  };
  std::priority_queue<Piece> longest;
  for (std::size_t p = 0; p < rows.size(); ++p)
    if (rows[p] > 0) longest.push({rows[p], static_cast<int>(p), static_cast<int>(p), 0});
  std::map<int, std::vector<Run>> cuts;
  std::vector<Piece> pieces;
  for (std::size_t p = 0; p < rows.size(); ++p) {
    if (rows[p] > 0) continue;
    Piece piece = longest.top();
    longest.pop();
    const std::int64_t given = piece.rows / 2;
    piece.rows -= given;
    longest.push(piece);
    longest.push({given, piece.old, static_cast<int>(p), piece.begin + piece.rows});
    cuts[piece.old];
  }
  for (; !longest.empty(); longest.pop()) {
    const Piece& piece = longest.top();
    if (const auto at = cuts.find(piece.old); at != cuts.end())
      at->second.push_back({piece.begin, piece.begin + piece.rows, piece.to});
  }
  return cuts;
}

} // namespace

int fill_empty_parts(const Context& context, const DGraph& graph, int parts, std::vector<int>& part) {
  Communicator& comm = *context.comm;
  const PartLoads loads = measure_loads(comm, graph, part, parts);
  const auto empty = static_cast<int>(std::count(loads.rows.begin(), loads.rows.end(), 0));
  if (empty == 0 || graph.n() < parts) return 0;

  const std::vector<int> old(part.begin(), part.begin() + graph.rows());
  for (const auto& [donor, runs] : plan_cuts(loads.rows)) {
    std::int64_t position = comm.exclusive_sum(std::count(old.begin(), old.end(), donor));
    for (LocalIndex i = 0; i < graph.rows(); ++i) {
      if (old[i] != donor) continue;
      for (const Run& run : runs)
        if (position >= run.begin && position < run.end) part[i] = run.to;
      ++position;
    }
  }
  GhostValues<int>(graph.halo).update(part);
  return empty;
}

Repairs repair(const Context& context, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part) {
  Repairs done;
  if (parts == 1) return done;
  done.filled = fill_empty_parts(context, graph, parts, part);
  if (done.filled > 0) refine(context, graph, parts, limit, 4, part);
  for (int round = 0; round < 3; ++round) {
    const std::int64_t balanced = balance(context, graph, parts, limit, part);
    const IslandCount islands = join_islands(context, graph, parts, limit, part);
    done.balanced += balanced;
    done.joined += islands.joined;
    done.islands = islands.left;
    if (balanced == 0 || islands.left == 0) break;
  }
  done.filled += fill_empty_parts(context, graph, parts, part);
  return done;
}

std::string Repairs::text() const {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "; repaired: " : ", ") + what; };
  if (filled > 0) add(number_of(filled, "empty part") + " filled");
  if (balanced > 0) add(number_of(balanced, "row") + " moved for balance");
  if (joined > 0) add(number_of(joined, "row") + " of torn parts joined to a neighbour");
  if (islands > 0)
    text +=
        fmt::format("; {} for balance", islands == 1 ? "1 piece stays apart from its part"
                                                     : number_of(islands, "piece") + " stay apart from their parts");
  return text;
}

} // namespace atl
