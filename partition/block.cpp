#include <atoll/comm/block_range.hpp>
#include <atoll/partition/block.hpp>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

/// First row of each part (and n at the end): where the running weight passes q / parts of the total. Every
/// rank finds the starts inside its rows. Length `parts`, for this step.
std::vector<std::int64_t> block_starts(Communicator& comm, const DGraph& graph, int parts) {
  const std::int64_t here = std::accumulate(graph.weight.begin(), graph.weight.end(), std::int64_t{0});
  const std::int64_t total = comm.all_reduce(here, ReduceOp::sum);
  std::int64_t before = comm.exclusive_sum(here);
  std::vector<std::int64_t> start(parts + 1, graph.n());
  const BlockRange share{total, parts};
  int q = 0;
  while (q < parts && share.begin(q) < before) ++q;
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    // A part begins at the row whose left edge is nearest to its share of the weight.
    for (; q < parts && share.begin(q) < before + graph.weight[i]; ++q) {
      const bool near_left = 2 * (share.begin(q) - before) <= graph.weight[i];
      start[q] = graph.map().to_global(i) + (near_left ? 0 : 1);
    }
    before += graph.weight[i];
  }
  comm.all_reduce(std::span(start), ReduceOp::min);
  // A heavy row may swallow several starts: one row a part at least.
  for (int p = 1; p < parts; ++p) start[p] = std::max(start[p], start[p - 1] + 1);
  for (int p = parts - 1; p > 0; --p) start[p] = std::min<std::int64_t>(start[p], graph.n() - (parts - p));
  return start;
}

} // namespace

std::vector<int> partition_blocks(const Context& context, const DGraph& graph, int parts) {
  std::vector<int> part(graph.rows());
  const GlobalIndex row_begin = graph.map().owned_begin();
  if (graph.n() <= parts) {
    for (LocalIndex i = 0; i < graph.rows(); ++i) part[i] = static_cast<int>(row_begin + i);
    return part;
  }
  const std::vector<std::int64_t> start = block_starts(*context.comm, graph, parts);
  int p = static_cast<int>(std::upper_bound(start.begin(), start.end(), row_begin) - start.begin()) - 1;
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    while (start[p + 1] <= row_begin + i) ++p;
    part[i] = p;
  }
  return part;
}

} // namespace atl
