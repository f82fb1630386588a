#include <atoll/partition/heavy_rows.hpp>

#include <algorithm>

namespace atl {

std::int64_t fair_weight(Communicator& comm, const DGraph& graph, int parts) {
  // From above: rows that reach one bound leave the others a lower one, until no more rows reach it.
  std::int64_t bound = std::numeric_limits<std::int64_t>::max(), heavy = 0;
  while (true) {
    std::int64_t sums[2] = {0, 0}; // weight of the others, rows that reach the bound
    for (const std::int32_t w : graph.weight) w >= bound ? ++sums[1] : sums[0] += w;
    comm.all_reduce(std::span<std::int64_t>(sums), ReduceOp::sum);
    if (sums[1] >= parts) return std::max<std::int64_t>(1, bound); // every part can have a heavy row
    const std::int64_t others = parts - sums[1], share = std::max<std::int64_t>(1, (sums[0] + others - 1) / others);
    if (bound != std::numeric_limits<std::int64_t>::max() && sums[1] == heavy) return std::min(bound, share);
    heavy = sums[1];
    bound = share;
  }
}

std::optional<DGraph> cut_heavy_rows(Communicator& comm, const DGraph& graph, std::int64_t fair_weight) {
  const bool here = std::any_of(graph.weight.begin(), graph.weight.end(), [&](auto w) { return w > fair_weight; });
  if (comm.all_reduce(std::int64_t{here}, ReduceOp::max) == 0) return std::nullopt;
  DGraph cut = graph;
  for (std::int32_t& w : cut.weight) w = static_cast<std::int32_t>(std::min<std::int64_t>(w, fair_weight));
  return cut;
}

} // namespace atl
