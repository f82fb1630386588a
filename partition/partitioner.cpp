#include <atoll/partition/block.hpp>
#include <atoll/partition/coordinates.hpp>
#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/heavy_rows.hpp>
#include <atoll/partition/multilevel.hpp>
#include <atoll/partition/part_file.hpp>
#include <atoll/partition/refine.hpp>
#include <atoll/partition/repair.hpp>
#include <atoll/partition/scotch.hpp>
#include <atoll/partition/wording.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace atl {
namespace {

using Method = PartitionMethod;

/// What decides about the method; the same on all ranks.
struct Facts {
  GlobalIndex n = 0;
  std::int64_t edges = 0;        ///< stored, both directions
  std::int64_t crossing = 0;     ///< of these, between two ranks
  double most_common_degree = 0; ///< share of the rows with the largest degree
};

Facts survey(Communicator& comm, const DGraph& graph) {
  std::int64_t degree = 0;
  for (LocalIndex i = 0; i < graph.rows(); ++i) degree = std::max(degree, graph.offsets[i + 1] - graph.offsets[i]);
  degree = comm.all_reduce(degree, ReduceOp::max);
  std::int64_t sums[3] = {std::ssize(graph.neighbour), 0, 0};
  for (const LocalIndex j : graph.neighbour) sums[1] += j >= graph.rows();
  for (LocalIndex i = 0; i < graph.rows(); ++i) sums[2] += graph.offsets[i + 1] - graph.offsets[i] == degree;
  comm.all_reduce(std::span<std::int64_t>(sums), ReduceOp::sum);
  const double n = std::max<double>(1.0, static_cast<double>(graph.n()));
  return {graph.n(), sums[0], sums[1], static_cast<double>(sums[2]) / n};
}

struct Choice {
  Method method;
  std::string why;
};

/// Rank-wise merging finds little where most edges cross ranks.
bool scattered(const Facts& facts, int parts) {
  return facts.n > gather_limit(parts) && 2 * facts.crossing > facts.edges;
}

Choice choose_automatically(const Communicator& comm, const Facts& facts, int parts, bool has_coordinates) {
  constexpr int many_parts = 4096;
  if (has_coordinates && facts.most_common_degree > 0.5)
    return {Method::coordinates, "the rows are a grid with coordinates"};
  const bool fits = facts.edges < std::int64_t{1} << 31 && scotch_can_run(comm);
  if (fits && comm.size() > 1 && scattered(facts, parts))
    return {Method::scotch, "neighbouring rows are scattered over the ranks"};
  if (fits && comm.size() > 1 && parts > many_parts)
    return {Method::scotch, fmt::format("{} parts are many for a cut on one rank", parts)};
  return {Method::metis, "the usual choice"};
}

/// The method that will run, whatever was asked for: some questions have one answer.
Choice choose(const Communicator& comm, const Facts& facts, int parts, const PartitionOptions& options,
              bool has_coordinates) {
  if (options.method == Method::file) return {Method::file, fmt::format("read from {}", options.file)};
  if (parts == 1) return {Method::block, "one part"};
  if (options.method == Method::block) return {Method::block, "asked for"};
  if (facts.n <= parts)
    return {Method::block,
            fmt::format("{} for {}: at most one row a part", number_of(facts.n, "row"), number_of(parts, "part"))};
  if (options.method == Method::coordinates) return {Method::coordinates, "asked for"};
  if (facts.edges == 0) return {Method::block, "no row has a neighbour"};
  if (options.method == Method::automatic) return choose_automatically(comm, facts, parts, has_coordinates);
  const bool metis = options.method == Method::metis || options.method == Method::metis_recursive;
  if (metis && comm.size() > 1 && scattered(facts, parts) && scotch_can_run(comm) &&
      facts.edges < std::int64_t{1} << 31)
    return {Method::scotch, "METIS merges rows rank by rank, but here neighbouring rows are scattered over the "
                            "ranks"};
  return {options.method, "asked for"};
}

std::vector<int> compute(const Context& context, const DGraph& graph, int parts, const PartitionOptions& options,
                         const std::optional<Coordinates>& coordinates, Choice& choice) {
  switch (choice.method) {
  case Method::file:
    return read_part_file(context, graph, parts, options.file);
  case Method::coordinates:
    if (!coordinates)
      throw Error(ErrorKind::usage,
                  "the partitioner coordinates needs coordinates, which this matrix has not; use auto or metis",
                  "partitioner");
    return partition_coordinates(context, graph, parts, *coordinates);
  case Method::scotch:
    return partition_scotch(context, graph, parts, options);
  case Method::metis:
  case Method::metis_recursive:
    return partition_multilevel(context, graph, parts, options, choice.why);
  default:
    return partition_blocks(context, graph, parts);
  }
}

void check_arguments(GlobalIndex n, int parts, const PartitionOptions& options) {
  if (parts < 1)
    throw Error(ErrorKind::usage, fmt::format("{} parts were asked for; 1 or more are expected", parts),
                "partitioner");
  if (parts > max_parts)
    throw Error(ErrorKind::usage, fmt::format("{} parts were asked for; the limit is {}", parts, max_parts),
                "partitioner");
  if (const GlobalIndex most = std::max<GlobalIndex>(n, max_empty_parts); parts > most)
    throw Error(ErrorKind::usage,
                fmt::format("{} parts were asked for, but the matrix has {}: the parts beyond the rows would "
                            "be empty; ask for at most {}",
                            parts, number_of(n, "row"), most),
                "partitioner");
  if (!(options.imbalance >= 0) || !std::isfinite(options.imbalance))
    throw Error(ErrorKind::usage,
                fmt::format("imbalance {} is not a number of 0 or more; 0.03 is usual", options.imbalance),
                "partitioner");
}

} // namespace

namespace {

/// Balance and wholeness, for methods that promise nothing of either. Returns what was done, in words.
std::string mend(const Context& context, const DGraph& graph, int parts, double imbalance, std::vector<int>& part) {
  std::int64_t weight = 0;
  for (const std::int32_t w : graph.weight) weight += w;
  const std::int64_t limit = weight_limit(context.comm->all_reduce(weight, ReduceOp::sum), parts, imbalance);
  part.resize(graph.map().n_local());
  GhostValues<int>(graph.halo).update(part);
  const Repairs done = repair(context, graph, parts, limit, part);
  part.resize(graph.rows());
  return done.text();
}

} // namespace

std::string_view to_string(PartitionMethod method) {
  switch (method) {
  case Method::automatic:
    return "auto";
  case Method::metis:
    return "metis";
  case Method::metis_recursive:
    return "metis-recursive";
  case Method::scotch:
    return "scotch";
  case Method::coordinates:
    return "coordinates";
  case Method::block:
    return "block";
  case Method::file:
    return "file";
  }
  return "unknown";
}

Partition compute_partition(const Context& context, const DGraph& graph, int parts, const PartitionOptions& options,
                            const std::optional<Coordinates>& coordinates) {
  Communicator& comm = *context.comm;
  check_arguments(graph.n(), parts, options);
  // Coordinates may be missing on a rank without rows, or by mistake on others: only all together count.
  const bool has_coordinates = comm.all_reduce(std::int64_t{coordinates.has_value()}, ReduceOp::min) == 1;
  Choice choice = choose(comm, survey(comm, graph), parts, options, has_coordinates);
  const std::optional<DGraph> cut = cut_heavy_rows(comm, graph, fair_weight(comm, graph, parts));
  const DGraph& even = cut ? *cut : graph;
  std::vector<int> part = compute(context, choice.method == Method::block ? graph : even, parts, options,
                                  has_coordinates ? coordinates : std::nullopt, choice);
  check_parts(comm, graph, part, parts);
  if (choice.method != Method::file && choice.method != Method::block)
    choice.why += mend(context, even, parts, options.imbalance, part);
  Partition result{std::move(part), choice.method, std::move(choice.why), {}};
  result.quality = measure_quality(context, graph, result.owner, parts);
  if (result.quality.empty_parts > 0)
    result.why += fmt::format("; {} of {} parts {} empty", result.quality.empty_parts, parts,
                              result.quality.empty_parts == 1 ? "is" : "are");
  return result;
}

} // namespace atl
