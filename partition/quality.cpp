#include <atoll/comm/agree.hpp>
#include <atoll/comm/block_range.hpp>
#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/quality.hpp>
#include <atoll/partition/routing.hpp>

#include <fmt/format.h>

#include <cmath>
#include <set>

namespace atl {
namespace {

struct PartPair {
  int part, neighbour;
  auto operator<=>(const PartPair&) const = default;
};

/// What this rank's rows add to the quality.
struct Boundary {
  std::int64_t edge_cut = 0;
  std::vector<std::int64_t> halo; ///< values received, by receiving part
  std::set<PartPair> neighbours;
};

void sort_unique(std::vector<int>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

Boundary survey_boundary(const DGraph& graph, std::span<const int> part, int parts) {
  Boundary found;
  found.halo.assign(parts, 0);
  std::vector<int> others, receivers; // around one row; those that have an entry in its column
  auto one_way = graph.one_way.begin();
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    others.clear();
    receivers.clear();
    for (Offset k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
      const LocalIndex j = graph.neighbour[k];
      const bool needed = one_way == graph.one_way.end() || *one_way != k;
      if (!needed) ++one_way;
      if (part[j] == part[i]) continue;
      others.push_back(part[j]);
      if (needed) receivers.push_back(part[j]);
      // Both ends store the edge; the end with the lower global number counts it.
      found.edge_cut += graph.map().to_global(i) < graph.map().to_global(j);
    }
    sort_unique(others);
    sort_unique(receivers);
    for (const int other : others) found.neighbours.insert({part[i], other});
    for (const int receiver : receivers) ++found.halo[receiver];
  }
  return found;
}

/// The most neighbours of a part: pairs meet at the rank that keeps the count of their first part.
std::int64_t most_neighbours(const CommunicatorPtr& comm, const std::set<PartPair>& pairs, int parts) {
  const BlockRange home{parts, comm->size()};
  std::vector<PartPair> items(pairs.begin(), pairs.end());
  auto met = route(comm, items, [&](const auto& pair) { return home.owner(pair.part); }).items;
  std::sort(met.begin(), met.end());
  met.erase(std::unique(met.begin(), met.end()), met.end());
  std::int64_t most = 0, count = 0;
  for (std::size_t k = 0; k < met.size(); ++k) {
    count = k > 0 && met[k].part == met[k - 1].part ? count + 1 : 1;
    most = std::max(most, count);
  }
  return comm->all_reduce(most, ReduceOp::max);
}

std::int64_t heaviest_row(Communicator& comm, const DGraph& graph) {
  std::int64_t most = 0;
  for (const std::int32_t w : graph.weight) most = std::max<std::int64_t>(most, w);
  return comm.all_reduce(most, ReduceOp::max);
}

double excess(std::int64_t largest, std::int64_t total, int parts) {
  return total == 0 ? 0.0 : static_cast<double>(largest) * parts / static_cast<double>(total) - 1.0;
}

} // namespace

std::int64_t PartLoads::heaviest() const { return *std::max_element(weight.begin(), weight.end()); }

PartLoads measure_loads(Communicator& comm, const DGraph& graph, std::span<const int> part, int parts) {
  std::vector<std::int64_t> sums(2 * static_cast<std::size_t>(parts), 0);
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    sums[part[i]] += graph.weight[i];
    ++sums[parts + part[i]];
  }
  comm.all_reduce(std::span(sums), ReduceOp::sum);
  PartLoads loads{{sums.begin(), sums.begin() + parts}, {sums.begin() + parts, sums.end()}, 0};
  for (const std::int64_t weight : loads.weight) loads.total_weight += weight;
  return loads;
}

std::int64_t weight_limit(std::int64_t total_weight, int parts, double imbalance) {
  const std::int64_t least = (total_weight + parts - 1) / parts;
  const double wished = static_cast<double>(total_weight) / parts * (1.0 + imbalance);
  // A wish beyond the total is no limit; the comparison also keeps the conversion in range.
  if (wished >= static_cast<double>(total_weight)) return total_weight;
  return std::max(least, static_cast<std::int64_t>(std::floor(wished)));
}

void check_parts(Communicator& comm, const DGraph& graph, std::span<const int> part, int parts) {
  agree(comm, [&] {
    if (std::ssize(part) != graph.rows())
      throw Error(ErrorKind::usage,
                  fmt::format("one part number a row expected: {} for {} rows", part.size(), graph.rows()),
                  "partition");
    for (LocalIndex i = 0; i < graph.rows(); ++i)
      if (part[i] < 0 || part[i] >= parts)
        throw Error(ErrorKind::usage,
                    fmt::format("row {} is in part {}, outside 0..{}", graph.map().to_global(i), part[i], parts - 1),
                    "partition");
  });
}

PartitionQuality measure_quality(const Context& context, const DGraph& graph, std::span<const int> owner, int parts) {
  Communicator& comm = *context.comm;
  check_parts(comm, graph, owner, parts);
  std::vector<int> part(owner.begin(), owner.end());
  part.resize(graph.map().n_local());
  GhostValues<int>(graph.halo).update(part);

  Boundary boundary = survey_boundary(graph, part, parts);
  comm.all_reduce(std::span(boundary.halo), ReduceOp::sum);
  const PartLoads loads = measure_loads(comm, graph, part, parts);

  PartitionQuality quality;
  quality.parts = parts;
  quality.edge_cut = comm.all_reduce(boundary.edge_cut, ReduceOp::sum);
  for (const std::int64_t halo : boundary.halo) {
    quality.halo_total += halo;
    quality.halo_max = std::max(quality.halo_max, halo);
  }
  quality.neighbors_max = static_cast<int>(most_neighbours(context.comm, boundary.neighbours, parts));
  const auto [least, most] = std::minmax_element(loads.rows.begin(), loads.rows.end());
  quality.rows_min = *least;
  quality.rows_max = *most;
  quality.empty_parts = static_cast<int>(std::count(loads.rows.begin(), loads.rows.end(), 0));
  quality.imbalance = excess(loads.heaviest(), loads.total_weight, parts);
  quality.imbalance_least = std::max(0.0, excess(heaviest_row(comm, graph), loads.total_weight, parts));
  quality.imbalance_rows = excess(quality.rows_max, graph.n(), parts);
  return quality;
}

} // namespace atl
