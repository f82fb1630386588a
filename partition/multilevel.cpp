#include <atoll/comm/agree.hpp>
#include <atoll/partition/coarsen.hpp>
#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/metis.hpp>
#include <atoll/partition/multilevel.hpp>
#include <atoll/partition/refine.hpp>
#include <atoll/partition/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

constexpr std::int64_t edge_limit = std::int64_t{1} << 22;
constexpr std::int64_t metis_sum_limit = std::int64_t{1} << 30; ///< METIS adds weights in 32 bits

std::int64_t sum_over_ranks(Communicator& comm, const std::vector<std::int32_t>& values) {
  return comm.all_reduce(std::accumulate(values.begin(), values.end(), std::int64_t{0}), ReduceOp::sum);
}

/// Halves a weight until the total fits METIS's integers; never to zero.
std::int32_t scaled(std::int64_t weight, int halvings) {
  return static_cast<std::int32_t>(std::max<std::int64_t>(1, weight >> halvings));
}
int halvings_for(std::int64_t total) {
  int halvings = 0;
  while ((total >> halvings) > metis_sum_limit) ++halvings;
  return halvings;
}

/// This rank's rows as one message: weight, degree, then neighbour and edge weight for each edge.
std::vector<std::int32_t> pack_rows(Communicator& comm, const DGraph& graph) {
  std::int64_t edges = 0;
  for (Offset k = 0; k < std::ssize(graph.neighbour); ++k) edges += graph.edge(k);
  const int edge_halvings = halvings_for(comm.all_reduce(edges, ReduceOp::sum));
  const int halvings = halvings_for(sum_over_ranks(comm, graph.weight));
  std::vector<std::int32_t> message;
  message.reserve(2 * (graph.weight.size() + graph.neighbour.size()));
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    message.push_back(scaled(graph.weight[i], halvings));
    message.push_back(static_cast<std::int32_t>(graph.offsets[i + 1] - graph.offsets[i]));
    for (Offset k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
      message.push_back(static_cast<std::int32_t>(graph.map().to_global(graph.neighbour[k])));
      message.push_back(scaled(graph.edge(k), edge_halvings));
    }
  }
  return message;
}

void append_rows(SerialGraph& graph, std::span<const std::int32_t> message) {
  for (std::size_t at = 0; at < message.size();) {
    graph.weight.push_back(message[at]);
    const std::int32_t degree = message[at + 1];
    at += 2;
    for (std::int32_t k = 0; k < degree; ++k, at += 2) {
      graph.neighbour.push_back(message[at]);
      graph.edge_weight.push_back(message[at + 1]);
    }
    graph.offsets.push_back(static_cast<std::int32_t>(graph.neighbour.size()));
  }
}

/// Gathers a small graph on rank 0, cuts it there, and returns the parts of this rank's rows.
std::vector<int> cut_on_first_rank(Communicator& comm, const DGraph& graph, int parts,
                                   const PartitionOptions& options) {
  const std::vector<std::int32_t> mine = pack_rows(comm, graph);
  const std::vector<std::int64_t> lengths = comm.all_gather(std::ssize(mine));
  const std::vector<std::int64_t> rows = comm.all_gather(graph.rows());
  const int tag = comm.next_tag();
  std::vector<int> part(graph.rows()), all;
  std::optional<Error> fault;
  if (comm.rank() != 0) {
    comm.send(std::as_bytes(std::span(mine)), 0, tag)->wait();
  } else {
    SerialGraph whole;
    append_rows(whole, mine);
    std::vector<std::int32_t> message;
    for (int r = 1; r < comm.size(); ++r) {
      message.resize(lengths[r]);
      comm.receive(std::as_writable_bytes(std::span(message)), r, tag)->wait();
      append_rows(whole, message);
    }
    try {
      all = metis_parts(whole, parts, options.imbalance, options.seed,
                        options.method == PartitionMethod::metis_recursive);
    } catch (...) {
      fault = describe_current_exception();
    }
  }
  agree(comm, fault);
  if (comm.rank() != 0) {
    comm.receive(std::as_writable_bytes(std::span(part)), 0, tag)->wait();
    return part;
  }
  std::copy_n(all.begin(), graph.rows(), part.begin());
  const int* next = all.data() + graph.rows();
  for (int r = 1; r < comm.size(); next += rows[r++])
    comm.send(std::as_bytes(std::span(next, rows[r])), r, tag)->wait();
  return part;
}

/// Coarser and coarser graphs, until the last can be gathered.
std::vector<CoarseLevel> coarsen_until_small(const Context& context, const DGraph& graph, int parts) {
  Communicator& comm = *context.comm;
  const std::int64_t limit = gather_limit(parts), total = sum_over_ranks(comm, graph.weight);
  std::vector<CoarseLevel> levels;
  std::int64_t n = graph.n(), patience = 3, slack = 3;
  while (true) {
    const DGraph& fine = levels.empty() ? graph : levels.back().graph;
    const std::int64_t edges = comm.all_reduce(std::ssize(fine.neighbour), ReduceOp::sum);
    const bool small = n <= limit && (edges <= edge_limit || n <= 64 * std::int64_t{parts});
    if (small || patience == 0) return levels;
    const std::int64_t max_weight = std::max(slack * total / limit, (slack + 1) * total / n);
    CoarseLevel level = coarsen(context, fine, n > 6 * limit ? 4 : 2, max_weight);
    if (level.graph.n() > n - n / 10) {
      --patience; // too heavy to merge, or no neighbours in common: allow more
      slack *= 4;
    }
    n = level.graph.n();
    levels.push_back(std::move(level));
  }
}

} // namespace

std::int64_t gather_limit(int parts) { return std::max<std::int64_t>(65536, 64 * std::int64_t{parts}); }

std::vector<int> partition_multilevel(const Context& context, const DGraph& graph, int parts,
                                      const PartitionOptions& options, std::string& why) {
  constexpr int passes = 6;
  Communicator& comm = *context.comm;
  std::vector<CoarseLevel> levels = coarsen_until_small(context, graph, parts);
  const DGraph& coarsest = levels.empty() ? graph : levels.back().graph;
  const std::int64_t edges = comm.all_reduce(std::ssize(coarsest.neighbour), ReduceOp::sum);
  if (coarsest.n() > 16 * gather_limit(parts) || edges > std::numeric_limits<std::int32_t>::max())
    throw Error(ErrorKind::limit,
                fmt::format("merging rows left {} vertices and {} edges, too many for METIS on one rank; use "
                            "the partitioner scotch or block",
                            coarsest.n(), edges),
                "partitioner metis");
  if (!levels.empty())
    why += fmt::format(", {} merged vertices in {}", coarsest.n(), number_of(std::ssize(levels), "level"));

  std::vector<int> part = cut_on_first_rank(comm, coarsest, parts, options);
  const std::int64_t limit = weight_limit(sum_over_ranks(comm, graph.weight), parts, options.imbalance);
  while (!levels.empty()) {
    const DGraph& fine = levels.size() > 1 ? levels[levels.size() - 2].graph : graph;
    std::vector<int> finer(fine.map().n_local());
    for (LocalIndex i = 0; i < fine.rows(); ++i) finer[i] = part[levels.back().coarse_of[i]];
    GhostValues<int>(fine.halo).update(finer);
    part = std::move(finer);
    levels.pop_back();
    refine(context, fine, parts, limit, passes, part);
  }
  part.resize(graph.rows());
  return part;
}

} // namespace atl
