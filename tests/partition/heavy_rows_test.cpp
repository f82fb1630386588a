/// Rows that are heavier than a part's share: each has a part to itself, and the others share the rest.
#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/heavy_rows.hpp>
#include <atoll/partition/quality.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace atl::test {
namespace {

/// A path with rows and columns that are full.
Pattern arrow(GlobalIndex n, const std::vector<GlobalIndex>& full) {
  Pattern p = path(n);
  p.name = "arrow";
  for (const GlobalIndex i : full)
    for (GlobalIndex j = 0; j < n; ++j) p.join(i, j);
  return p;
}

Pattern star_around(GlobalIndex n, GlobalIndex hub) {
  Pattern p = isolated(n);
  p.name = "star";
  for (GlobalIndex j = 0; j < n; ++j) p.join(hub, j);
  return p;
}

std::vector<std::int64_t> weights_of(const Pattern& pattern) {
  std::vector<std::int64_t> weight(pattern.n, 0);
  for (const auto& [i, j] : pattern.entries) ++weight[i];
  return weight;
}

/// The smallest c with sum min(w, c) <= parts c, by trying them all.
std::int64_t fair_by_trial(const std::vector<std::int64_t>& weight, int parts) {
  for (std::int64_t c = 1;; ++c) {
    std::int64_t sum = 0;
    for (const std::int64_t w : weight) sum += std::min(w, c);
    if (sum <= parts * c) return c;
  }
}

struct Cut {
  std::vector<std::int64_t> load;
  PartitionQuality quality;
  std::string why;
};

Cut cut(const Pattern& pattern, int parts, int ranks, const PartitionOptions& options) {
  Cut result;
  const std::vector<std::int64_t> weight = weights_of(pattern);
  run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const DGraph graph = make_graph(context, slab_of(pattern, block_ranges(pattern.n, ranks), comm->rank()), true);
    const Partition partition = compute_partition(context, graph, parts, options, {});
    const std::vector<int> part = gather(*comm, partition.owner);
    if (comm->rank() != 0) return;
    result = {std::vector<std::int64_t>(parts, 0), partition.quality, partition.why};
    for (std::size_t i = 0; i < part.size(); ++i) result.load[part[i]] += weight[i];
  });
  return result;
}

TEST(HeavyRows, FairWeightIsTheSmallestThatFits) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Pattern pattern = random_pattern(seed);
    if (pattern.n == 1) continue; // more rows than parts
    const int parts = 1 + static_cast<int>(random.below(std::min<GlobalIndex>(12, pattern.n - 1))),
              ranks = 1 + static_cast<int>(random.below(5));
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      const Context context = test_context(comm);
      DGraph graph =
          make_graph(context, slab_of(pattern, random_ranges(pattern.n, ranks, seed), comm->rank()), false);
      std::vector<std::int64_t> weight(pattern.n, 1);
      Random same(seed); // on all ranks
      for (std::int64_t& w : weight) w = same.below(5) == 0 ? 1 + same.below(300) : 1 + same.below(4);
      for (LocalIndex i = 0; i < graph.rows(); ++i)
        graph.weight[i] = static_cast<std::int32_t>(weight[graph.map().to_global(i)]);
      EXPECT_EQ(fair_weight(*comm, graph, parts), fair_by_trial(weight, parts)) << "seed " << seed;
    });
  }
}

/// No part holds more than the tolerance beside its heavy row, or beyond the share of the others.
void expect_spread(const Pattern& pattern, int parts, int ranks, PartitionMethod method) {
  constexpr double imbalance = 0.03;
  const Cut c = cut(pattern, parts, ranks, {.method = method, .imbalance = imbalance, .file = {}});
  const std::vector<std::int64_t> weight = weights_of(pattern);
  const std::int64_t fair = fair_by_trial(weight, parts), heaviest = *std::max_element(weight.begin(), weight.end());
  std::int64_t rest = 0, total = 0;
  for (const std::int64_t w : weight) rest += std::min(w, fair), total += w;
  const std::int64_t limit = weight_limit(rest, parts, imbalance);
  const std::string where = pattern.name + " " + std::to_string(pattern.n) + " into " + std::to_string(parts) +
                            " on " + std::to_string(ranks) + " by " + std::string(to_string(method)) + ": " + c.why;
  EXPECT_LE(*std::max_element(c.load.begin(), c.load.end()), std::max(limit, heaviest - fair + limit)) << where;
  EXPECT_GE(*std::min_element(c.load.begin(), c.load.end()), 1) << where;
  const double average = static_cast<double>(total) / parts;
  EXPECT_NEAR(c.quality.imbalance_least, std::max(static_cast<double>(heaviest), average) / average - 1, 1e-12)
      << where;
  EXPECT_GE(c.quality.imbalance, c.quality.imbalance_least - 1e-12) << where;
}

const PartitionMethod balanced_methods[] = {PartitionMethod::automatic, PartitionMethod::metis,
                                            PartitionMethod::metis_recursive};

TEST(HeavyRows, ArrowsAndStarsAreCutNearTheBound) {
  for (const Pattern& pattern :
       {arrow(600, {0}), arrow(600, {300}), arrow(600, {599}), arrow(600, {0, 1, 2}), arrow(600, {0, 200, 400}),
        star_around(600, 0), star_around(600, 300), star_around(600, 599), power_law(600, 2, 5)})
    for (const int parts : {2, 4, 7, 16})
      for (const int ranks : {1, 3})
        for (const PartitionMethod method : balanced_methods) expect_spread(pattern, parts, ranks, method);
}

/// The lightest heaviest block of contiguous rows, by dynamic programming over all cuts.
std::int64_t lightest_blocks(const std::vector<std::int64_t>& weight, int parts) {
  const std::size_t n = weight.size();
  std::vector<std::int64_t> edge(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i) edge[i + 1] = edge[i] + weight[i];
  std::vector<std::int64_t> best = edge; // of the first i rows in one part
  for (int p = 1; p < parts; ++p)
    for (std::size_t i = n; i > 0; --i)
      for (std::size_t j = 0; j < i; ++j) best[i] = std::min(best[i], std::max(best[j], edge[i] - edge[j]));
  return best[n];
}

TEST(HeavyRows, BlocksAreAsLightAsContiguousRowsAllow) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    Pattern pattern =
        seed % 3 ? power_law(20 + random.below(40), 2, seed) : star_around(20 + random.below(40), random.below(20));
    if (seed % 5 == 0) pattern = arrow(60, {0, 20, 40});
    const std::vector<std::int64_t> weight = weights_of(pattern);
    const int parts = 2 + static_cast<int>(random.below(15)), ranks = 1 + static_cast<int>(random.below(6));
    const Cut c = cut(pattern, parts, ranks, {.method = PartitionMethod::block, .file = {}});
    const std::int64_t largest = *std::max_element(c.load.begin(), c.load.end());
    const std::int64_t total = std::accumulate(weight.begin(), weight.end(), std::int64_t{0});
    const std::int64_t least = std::max(*std::max_element(weight.begin(), weight.end()), (total + parts - 1) / parts);
    EXPECT_LE(largest, std::max(lightest_blocks(weight, parts), least + least / 32))
        << pattern.name << " " << pattern.n << " into " << parts << " on " << ranks << ", seed " << seed;
    EXPECT_GE(*std::min_element(c.load.begin(), c.load.end()), 1);
  }
}

TEST(HeavyRows, MergingKeepsTheBound) { // more rows than are gathered for METIS
  const Pattern pattern = arrow(70000, {35000});
  expect_spread(pattern, 16, 2, PartitionMethod::metis);
}

} // namespace
} // namespace atl::test
