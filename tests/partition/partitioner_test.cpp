#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace atl::test {
namespace {

struct Cut {
  std::vector<int> part; ///< of all rows
  Partition partition;   ///< as the last rank has it
};

Cut cut(const Pattern& pattern, int parts, int ranks, PartitionOptions options, std::uint64_t seed = 1,
        const std::vector<GlobalIndex>& given_ranges = {}, const std::optional<Coordinates>& all = {}) {
  Cut result;
  const auto ranges = given_ranges.empty() ? block_ranges(pattern.n, ranks) : given_ranges;
  run_virtual_cluster(ranks,
                      [&](CommunicatorPtr comm) {
                        const Context context = test_context(comm);
                        const DGraph graph = make_graph(context, slab_of(pattern, ranges, comm->rank()),
                                                        options.weight_rows_by_entries);
                        std::optional<Coordinates> mine;
                        if (all)
                          mine = {all->dimension,
                                  {all->values.begin() + ranges[comm->rank()] * all->dimension,
                                   all->values.begin() + ranges[comm->rank() + 1] * all->dimension}};
                        Partition partition = compute_partition(context, graph, parts, options, mine);
                        const std::vector<int> whole = gather(*comm, partition.owner);
                        if (comm->rank() == ranks - 1) result = {whole, std::move(partition)};
                      },
                      {.seed = seed});
  return result;
}

/// Legal labels, no empty part while rows suffice, and quality figures that plain loops find, too.
void expect_sound(const Pattern& pattern, const Cut& c, int parts, const std::string& where) {
  ASSERT_EQ(std::ssize(c.part), pattern.n) << where;
  for (const int p : c.part) ASSERT_TRUE(p >= 0 && p < parts) << where;
  const PlainQuality plain = plain_quality(pattern, c.part, parts);
  const std::int64_t empty = std::count(plain.rows.begin(), plain.rows.end(), 0);
  EXPECT_EQ(empty, std::max<std::int64_t>(0, parts - pattern.n)) << where << "; " << c.partition.why;
  EXPECT_EQ(c.partition.quality.edge_cut, plain.edge_cut) << where;
  EXPECT_EQ(c.partition.quality.halo_total, plain.halo_total) << where;
  EXPECT_EQ(c.partition.quality.rows_max, *std::max_element(plain.rows.begin(), plain.rows.end())) << where;
  EXPECT_FALSE(c.partition.why.empty());
}

std::int64_t largest(const Cut& c) { return c.partition.quality.rows_max; }

const PartitionMethod graph_methods[] = {PartitionMethod::automatic, PartitionMethod::metis,
                                         PartitionMethod::metis_recursive, PartitionMethod::block};

TEST(Partitioner, AnyGraphAnyPartsAnyRanks) {
  for (std::uint64_t seed = 1; seed <= 800; ++seed) {
    Random random(seed * 77);
    const Pattern pattern = random_pattern(seed);
    const int parts = 1 + static_cast<int>(random.below(seed % 5 == 0 ? 70 : 9));
    const int ranks = 1 + static_cast<int>(random.below(8));
    PartitionOptions options;
    options.method = graph_methods[random.below(std::ssize(graph_methods))];
    options.imbalance = seed % 3 == 0 ? 0.0 : 0.05;
    options.weight_rows_by_entries = seed % 2 == 0;
    options.seed = seed;
    const auto ranges = random_ranges(pattern.n, ranks, seed);
    const std::string where = pattern.name + " of " + std::to_string(pattern.n) + " into " + std::to_string(parts) +
                              " on " + std::to_string(ranks) + ", seed " + std::to_string(seed);
    expect_sound(pattern, cut(pattern, parts, ranks, options, seed, ranges), parts, where);
    if (HasFatalFailure()) return;
  }
}

TEST(Partitioner, UnitWeightsKeepTheBoundOnConnectedGraphs) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Pattern pattern = seed % 2 ? grid(5 + random.below(12), 5 + random.below(12)) : path(40 + random.below(80));
    const int parts = 2 + static_cast<int>(random.below(6)), ranks = 1 + static_cast<int>(random.below(5));
    for (const double imbalance : {0.0, 0.1}) {
      PartitionOptions options{.method = PartitionMethod::metis,
                               .imbalance = imbalance,
                               .seed = seed,
                               .weight_rows_by_entries = false,
                               .file = {}};
      const Cut c = cut(pattern, parts, ranks, options, seed);
      const double average = static_cast<double>(pattern.n) / parts;
      EXPECT_LE(largest(c), std::max(std::ceil(average), std::floor(average * (1 + imbalance))))
          << pattern.name << " " << pattern.n << " into " << parts << " on " << ranks << "; " << c.partition.why;
    }
  }
}

TEST(Partitioner, ImbalanceReachesTheMethod) { // 30 x 30 grid: at best 4 squares, 60 edges cut
  const Pattern pattern = grid(30, 30);
  for (const int ranks : {1, 3})
    for (const auto& [imbalance, most] : {std::pair{0.0, 225}, {0.03, 231}, {0.30, 292}}) {
      const Cut c = cut(pattern, 4, ranks, {.imbalance = imbalance, .file = {}});
      EXPECT_LE(largest(c), most) << c.partition.why;
      EXPECT_LE(c.partition.quality.edge_cut, 120);
      EXPECT_EQ(torn_pieces(pattern, c.part), 0);
    }
}

TEST(Partitioner, LongPath) { // 3 cuts at best
  const Pattern pattern = path(20000);
  for (const int ranks : {1, 4}) {
    const Cut c = cut(pattern, 4, ranks, {.file = {}});
    EXPECT_LE(c.partition.quality.edge_cut, 8);
    EXPECT_LE(largest(c), 5250);
  }
}

// Where METIS 5.1.0 alone crashes, leaves parts empty, or tears them.
TEST(Partitioner, GraphsThatMetisGetsWrong) {
  const struct {
    Pattern pattern;
    int parts;
  } cases[] = {{path(6), 1},     {path(1), 1},       {path(3), 2},      {path(2), 2},    {path(4), 8},
               {grid(6, 6), 30}, {grid(17, 17), 64}, {isolated(50), 4}, {path(297), 64}, {power_law(297, 2, 7), 64}};
  for (const auto& [pattern, parts] : cases)
    for (const PartitionMethod method : graph_methods)
      for (const int ranks : {1, 2, 5}) {
        const Cut c = cut(pattern, parts, ranks, {.method = method, .file = {}});
        const std::string where = pattern.name + " into " + std::to_string(parts);
        expect_sound(pattern, c, parts, where);
        if (method != PartitionMethod::block && pattern.name != "power law") {
          EXPECT_EQ(torn_pieces(pattern, c.part), 0) << where << " on " << ranks << "; " << c.partition.why;
        }
      }
}

TEST(Partitioner, IsolatedRowsAndDiagonalMatrices) {
  const Cut c = cut(isolated(50), 4, 3, {.file = {}});
  EXPECT_EQ(c.partition.method, PartitionMethod::block);
  EXPECT_EQ(largest(c), 13);
  EXPECT_EQ(c.partition.quality.edge_cut, 0);
}

TEST(Partitioner, ManyRowsAreMergedBeforeTheyAreGathered) {
  // More rows than are ever gathered (65536), so that merging, projection and refinement run.
  const Pattern pattern = grid(300, 300);
  for (const int ranks : {1, 3}) {
    const Cut c = cut(pattern, 6, ranks, {.method = PartitionMethod::metis, .imbalance = 0.0, .file = {}});
    EXPECT_NE(c.partition.why.find("merged"), std::string::npos) << c.partition.why;
    EXPECT_EQ(largest(c), 15000);
    EXPECT_EQ(torn_pieces(pattern, c.part), 0);
    // A 2 x 3 arrangement of boxes cuts 900 edges; METIS alone comes to about 1000.
    EXPECT_LE(c.partition.quality.edge_cut, 1200);
  }
}

TEST(Partitioner, SameSeedSameCut) {
  const Pattern pattern = power_law(500, 3, 11);
  for (const PartitionMethod method : graph_methods) {
    PartitionOptions options{.method = method, .seed = 5, .file = {}};
    // The scheduler's seed differs: the order in which messages arrive must not matter.
    EXPECT_EQ(cut(pattern, 7, 4, options, 1).part, cut(pattern, 7, 4, options, 2).part);
  }
}

TEST(Partitioner, AutomaticSaysWhy) {
  const auto chosen = [](const Pattern& pattern, int parts) {
    return cut(pattern, parts, 2, {.file = {}}).partition;
  };
  EXPECT_EQ(chosen(grid(5, 5), 1).why, "one part");
  EXPECT_EQ(chosen(path(3), 5).method, PartitionMethod::block);
  EXPECT_EQ(chosen(isolated(9), 2).method, PartitionMethod::block);
  EXPECT_EQ(chosen(grid(9, 9), 2).method, PartitionMethod::metis);
}

ErrorKind failure(const PartitionOptions& options, int parts) {
  try {
    (void)cut(grid(4, 4), parts, 2, options);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(Partitioner, Refusals) {
  EXPECT_EQ(failure({.file = {}}, 0), ErrorKind::usage);
  EXPECT_EQ(failure({.file = {}}, max_parts + 1), ErrorKind::usage);
  EXPECT_EQ(failure({.file = {}}, max_empty_parts + 1), ErrorKind::usage) << "16 rows";
  EXPECT_EQ(failure({.imbalance = -0.1, .file = {}}, 2), ErrorKind::usage);
  EXPECT_EQ(failure({.imbalance = std::nan(""), .file = {}}, 2), ErrorKind::usage);
  EXPECT_EQ(failure({.method = PartitionMethod::coordinates, .file = {}}, 2), ErrorKind::usage);
  EXPECT_EQ(failure({.method = PartitionMethod::scotch, .file = {}}, 2), ErrorKind::environment);
}

TEST(Partitioner, PartsBeyondTheRowsStayEmptyUpToABound) {
  const Cut c = cut(grid(4, 4), max_empty_parts, 2, {.file = {}});
  EXPECT_EQ(c.partition.quality.empty_parts, max_empty_parts - 16);
  EXPECT_NE(c.partition.why.find("65520 of 65536 parts are empty"), std::string::npos) << c.partition.why;
}

TEST(Partitioner, NoRowsAtAll) {
  for (const PartitionMethod method : graph_methods) {
    const Cut c = cut(isolated(0), 3, 2, {.method = method, .file = {}});
    EXPECT_EQ(c.partition.quality.empty_parts, 3);
    EXPECT_EQ(c.partition.quality.imbalance, 0);
  }
}

TEST(Partitioner, GridsWithCoordinatesAreCutByThem) {
  Coordinates all{2, {}};
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) all.values.insert(all.values.end(), {double(x), double(y)});
  const Cut c = cut(grid(8, 8), 2, 3, {.file = {}}, 1, {}, all);
  EXPECT_EQ(c.partition.method, PartitionMethod::coordinates);
  EXPECT_EQ(c.partition.quality.edge_cut, 8);
  EXPECT_EQ(largest(c), 32);
}

TEST(Partitioner, BlocksAreContiguousAndEqual) {
  const Cut c =
      cut(grid(5, 5), 4, 3, {.method = PartitionMethod::block, .weight_rows_by_entries = false, .file = {}});
  std::vector<int> wanted;
  for (const int p : {0, 1, 2, 3}) wanted.insert(wanted.end(), p == 0 ? 7 : 6, p);
  EXPECT_EQ(c.part, wanted);
}

TEST(Partitioner, BlocksByWeightGiveNoPartAway) {
  // Row 0 has half of all entries: it fills a block of its own, and the other rows share the rest.
  const Pattern pattern = star(9); // weights 9, then 2 each: 25 in all
  const Cut c = cut(pattern, 3, 2, {.method = PartitionMethod::block, .file = {}});
  EXPECT_TRUE(std::is_sorted(c.part.begin(), c.part.end()));
  EXPECT_EQ(std::count(c.part.begin(), c.part.end(), 0), 1);
  EXPECT_EQ(std::count(c.part.begin(), c.part.end(), 1), 4);
}

} // namespace
} // namespace atl::test
