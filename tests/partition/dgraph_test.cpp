#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>

#include <gtest/gtest.h>

namespace atl::test {
namespace {

/// The edges that a rank stores, as (row, neighbour) global numbers.
std::vector<std::pair<GlobalIndex, GlobalIndex>> stored_edges(const DGraph& graph) {
  std::vector<std::pair<GlobalIndex, GlobalIndex>> edges;
  for (LocalIndex i = 0; i < graph.rows(); ++i)
    for (const LocalIndex j : graph.neighbours(i))
      edges.emplace_back(graph.map().to_global(i), graph.map().to_global(j));
  return edges;
}

void expect_graph_of(const Pattern& pattern, const RowBlock<double>& block, CommunicatorPtr comm) {
  const DGraph graph = make_graph(test_context(comm), block, true);
  std::set<std::pair<GlobalIndex, GlobalIndex>> wanted;
  for (const auto& [i, j] : pattern.edges()) {
    if (i >= block.row_begin && i < block.row_end()) wanted.emplace(i, j);
    if (j >= block.row_begin && j < block.row_end()) wanted.emplace(j, i);
  }
  const auto stored = stored_edges(graph);
  EXPECT_EQ(std::set(stored.begin(), stored.end()), wanted) << pattern.name;
  EXPECT_EQ(stored.size(), wanted.size()) << pattern.name << ": an edge is stored twice";
  EXPECT_EQ(graph.n(), pattern.n);
  EXPECT_EQ(graph.rows(), block.rows());
  EXPECT_EQ(std::ssize(graph.weight), block.rows());
}

TEST(DGraph, IsTheUndirectedPatternForAnyCut) {
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    const int ranks = 1 + static_cast<int>(seed % 8);
    const Pattern pattern = random_pattern(seed);
    const auto ranges = random_ranges(pattern.n, ranks, seed);
    run_virtual_cluster(
        ranks, [&](CommunicatorPtr comm) { expect_graph_of(pattern, slab_of(pattern, ranges, comm->rank()), comm); },
        {.seed = seed});
  }
}

TEST(DGraph, UnsortedRowsWithDuplicatesGiveTheSame) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const auto ranges = random_ranges(pattern.n, 3, seed);
    run_virtual_cluster(3,
                        [&](CommunicatorPtr comm) {
                          const RowBlock<double> sorted = slab_of(pattern, ranges, comm->rank());
                          RowBlock<double> block{pattern.n, pattern.n, sorted.row_begin, {0}, {}, {}};
                          for (LocalIndex i = 0; i < sorted.rows(); ++i) {
                            for (int twice = 0; twice < 2; ++twice)
                              for (Offset k = sorted.offsets[i + 1]; k-- > sorted.offsets[i];) {
                                block.column.push_back(sorted.column[k]);
                                block.value.push_back(1);
                              }
                            block.offsets.push_back(std::ssize(block.column));
                          }
                          expect_graph_of(pattern, block, comm);
                        },
                        {.seed = seed});
  }
}

std::vector<std::int32_t> weights_of(const Pattern& pattern, bool by_entries) {
  std::vector<std::int32_t> all;
  run_virtual_cluster(2, [&](CommunicatorPtr comm) {
    const auto slab = slab_of(pattern, block_ranges(pattern.n, 2), comm->rank());
    const auto weight = gather(*comm, make_graph(test_context(comm), slab, by_entries).weight);
    if (comm->rank() == 0) all = weight;
  });
  return all;
}

TEST(DGraph, WeighsRowsByEntriesOnlyWhereTheyDifferMuch) {
  // 4x4 grid: the longest row has 5 entries, the mean is 64/16 = 4.
  EXPECT_EQ(weights_of(grid(4, 4), true), std::vector<std::int32_t>(16, 1));
  // Star of 5: hub 5 entries, leaves 2; mean 13/5, and 5 > 1.5 * 2.6.
  EXPECT_EQ(weights_of(star(5), true), (std::vector<std::int32_t>{5, 2, 2, 2, 2}));
  EXPECT_EQ(weights_of(star(5), false), std::vector<std::int32_t>(5, 1));
  // An empty row still weighs something.
  Pattern hole{"hole", 4, {{0, 0}, {0, 1}, {0, 2}, {0, 3}}};
  EXPECT_EQ(weights_of(hole, true), (std::vector<std::int32_t>{4, 1, 1, 1}));
}

ErrorKind kind_of_failure(const RowBlock<double>& block) {
  try {
    (void)make_graph(make_self_context(), block, true);
  } catch (const Error& error) {
    return error.kind();
  }
  return ErrorKind::internal;
}

TEST(DGraph, RefusesWhatHasNoGraph) {
  EXPECT_EQ(kind_of_failure({2, 3, 0, {0, 1, 2}, {0, 2}, {1, 1}}), ErrorKind::usage);
  EXPECT_EQ(kind_of_failure({2, 2, 0, {0, 1, 2}, {0, 2}, {1, 1}}), ErrorKind::bad_input);
  EXPECT_EQ(kind_of_failure({2, 2, 0, {0, 1, 2}, {-1, 1}, {1, 1}}), ErrorKind::bad_input);
}

} // namespace
} // namespace atl::test
