#include <atoll/partition/metis.hpp>

#include <fmt/format.h>
#include <metis.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <type_traits>

namespace atl {
namespace {

static_assert(std::is_same_v<idx_t, std::int32_t>, "METIS with 32-bit idx_t is expected");

/// METIS's tolerance, in thousandths. Bisections multiply theirs, so each gets its root.
idx_t load_factor(double imbalance, int parts, bool recursive) {
  double allowed = std::clamp(imbalance, 0.0, 10.0);
  if (recursive) allowed = std::pow(1.0 + allowed, 1.0 / std::ceil(std::log2(parts))) - 1.0;
  return std::max<idx_t>(1, static_cast<idx_t>(std::floor(allowed * 1000)));
}

void check(int status, std::span<const int> part, int parts) {
  if (status == METIS_ERROR_MEMORY)
    throw Error(ErrorKind::environment, "METIS found no memory for the partition; use fewer parts or scotch",
                "METIS");
  if (status != METIS_OK)
    throw Error(ErrorKind::internal, fmt::format("METIS failed with status {}", status), "METIS");
  for (const int p : part)
    if (p < 0 || p >= parts)
      throw Error(ErrorKind::internal, fmt::format("METIS answered part {}, outside 0..{}", p, parts - 1), "METIS");
}

} // namespace

std::vector<int> metis_parts(const SerialGraph& graph, int parts, double imbalance, std::uint64_t seed,
                             bool recursive) {
  std::vector<int> part(graph.n(), 0);
  if (parts == 1) return part;
  if (graph.n() <= parts || graph.neighbour.empty()) {
    for (int i = 0; i < graph.n(); ++i)
      part[i] = graph.n() <= parts ? i : static_cast<int>(std::int64_t{i} * parts / graph.n());
    return part;
  }
  recursive = recursive || parts <= 8 || graph.n() < 50 * static_cast<std::int64_t>(parts);

  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = static_cast<idx_t>(seed & 0x7fffffff);
  options[METIS_OPTION_UFACTOR] = load_factor(imbalance, parts, recursive);
  options[METIS_OPTION_DBGLVL] = 0;

  // METIS takes pointers to what it does not change.
  SerialGraph& g = const_cast<SerialGraph&>(graph);
  idx_t n = g.n(), constraints = 1, k = parts, cut = 0;
  static std::mutex one_at_a_time;
  const std::lock_guard lock(one_at_a_time);
  const auto run = recursive ? &METIS_PartGraphRecursive : &METIS_PartGraphKway;
  const int status = run(&n, &constraints, g.offsets.data(), g.neighbour.data(), g.weight.data(), nullptr,
                         g.edge_weight.data(), &k, nullptr, nullptr, options, &cut, part.data());
  check(status, part, parts);
  return part;
}

} // namespace atl
