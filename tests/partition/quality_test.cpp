#include "graphs.hpp"
#include "support/contexts.hpp"

#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/quality.hpp>

#include <gtest/gtest.h>

namespace atl::test {
namespace {

PartitionQuality measure(const Pattern& pattern, const std::vector<int>& part, int parts, int ranks,
                         std::uint64_t seed, bool by_entries = false) {
  PartitionQuality result;
  const auto ranges = random_ranges(pattern.n, ranks, seed);
  run_virtual_cluster(ranks,
                      [&](CommunicatorPtr comm) {
                        const Context context = test_context(comm);
                        const DGraph graph = make_graph(context, slab_of(pattern, ranges, comm->rank()), by_entries);
                        const std::vector<int> mine(part.begin() + ranges[comm->rank()],
                                                    part.begin() + ranges[comm->rank() + 1]);
                        const PartitionQuality q = measure_quality(context, graph, mine, parts);
                        if (comm->rank() == ranks - 1) result = q;
                      },
                      {.seed = seed});
  return result;
}

TEST(Quality, HandNumbers) {
  // 0-1-2
  // 3-4-5   parts: {0, 1, 3} and {2, 4, 5}
  const PartitionQuality q = measure(grid(3, 2), {0, 0, 1, 0, 1, 1}, 2, 1, 1);
  EXPECT_EQ(q.edge_cut, 3); // 1-2, 1-4, 3-4
  EXPECT_EQ(q.halo_total, 4);
  EXPECT_EQ(q.halo_max, 2); // part 0 receives 2 and 4; part 1 receives 1 and 3
  EXPECT_EQ(q.neighbors_max, 1);
  EXPECT_EQ(q.rows_min, 3);
  EXPECT_EQ(q.rows_max, 3);
  EXPECT_EQ(q.imbalance, 0);
  EXPECT_EQ(q.empty_parts, 0);
}

TEST(Quality, HaloIsThatOfTheForwardExchange) {
  // Row 0 is full, and so is column 3: 0 -> 1, 2, 3, and 1, 2 -> 3. Parts {0}, {1, 2}, {3}.
  Pattern p = isolated(4);
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}) p.entries.emplace(i, j);
  for (const int ranks : {1, 2, 4}) {
    const PartitionQuality q = measure(p, {0, 1, 1, 2}, 3, ranks, 1);
    EXPECT_EQ(q.halo_total, 4); // part 0 receives 1, 2, 3, part 1 receives 3, part 2 nothing
    EXPECT_EQ(q.halo_max, 3);
    EXPECT_EQ(q.edge_cut, 5);
    EXPECT_EQ(q.neighbors_max, 2); // part 2 receives nothing, but sends to both
  }
}

TEST(Quality, HaloIsTheGhostsOfTheMatrix) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Pattern pattern = scattered(50, 0.06, seed);
    const int ranks = 1 + static_cast<int>(seed % 6);
    const auto ranges = random_ranges(pattern.n, ranks, seed);
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      const Context context = test_context(comm);
      RowBlock<double> slab = slab_of(pattern, ranges, comm->rank());
      const DGraph graph = make_graph(context, slab, true);
      const std::vector<int> owner(slab.rows(), comm->rank());
      const PartitionQuality q = measure_quality(context, graph, owner, ranks);
      const auto a = DSparseMatrix<double>::from_rows(context, std::move(slab));
      EXPECT_EQ(q.halo_total, comm->all_reduce(std::int64_t{a.col_map()->n_ghosts()}, ReduceOp::sum));
      EXPECT_EQ(q.halo_max, comm->all_reduce(std::int64_t{a.col_map()->n_ghosts()}, ReduceOp::max));
    });
  }
}

TEST(Quality, ImbalanceInEntriesAndInRows) {
  // Star of 5 by entries: hub 5, leaves 2 each: total 13. Parts {hub} and {leaves}: 5 and 8.
  const PartitionQuality q = measure(star(5), {0, 1, 1, 1, 1}, 2, 2, 1, true);
  EXPECT_DOUBLE_EQ(q.imbalance, 8 / 6.5 - 1);
  EXPECT_EQ(q.imbalance_least, 0);
  EXPECT_DOUBLE_EQ(measure(star(5), {0, 1, 2, 3, 3}, 4, 2, 1, true).imbalance_least, 5 / 3.25 - 1);
  EXPECT_DOUBLE_EQ(q.imbalance_rows, 4 / 2.5 - 1);
}

TEST(Quality, EqualsPlainLoopsForAnyPartitionAndCut) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const Pattern pattern = random_pattern(seed);
    const int parts = 1 + static_cast<int>(random.below(9)), ranks = 1 + static_cast<int>(random.below(8));
    std::vector<int> part(pattern.n);
    for (int& p : part) p = static_cast<int>(random.below(parts));
    const PartitionQuality q = measure(pattern, part, parts, ranks, seed);
    const PlainQuality plain = plain_quality(pattern, part, parts);
    EXPECT_EQ(q.edge_cut, plain.edge_cut) << pattern.name << " seed " << seed;
    EXPECT_EQ(q.halo_total, plain.halo_total) << pattern.name << " seed " << seed;
    EXPECT_EQ(q.halo_max, plain.halo_max);
    EXPECT_EQ(q.neighbors_max, plain.neighbors_max);
    EXPECT_EQ(q.rows_max, *std::max_element(plain.rows.begin(), plain.rows.end()));
    EXPECT_EQ(q.rows_min, *std::min_element(plain.rows.begin(), plain.rows.end()));
    EXPECT_EQ(q.empty_parts, std::count(plain.rows.begin(), plain.rows.end(), 0));
  }
}

TEST(Quality, RefusesPartNumbersOutOfRangeOnAllRanks) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const Pattern pattern = path(9);
    const DGraph graph = make_graph(context, slab_of(pattern, block_ranges(9, 3), comm->rank()), true);
    std::vector<int> mine(3, 0);
    if (comm->rank() == 1) mine[2] = 2;
    try {
      (void)measure_quality(context, graph, mine, 2);
      ADD_FAILURE() << "part 2 of 2 was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(error.line().find("row 5 is in part 2"), std::string::npos) << error.line();
    }
  });
}

TEST(Quality, WeightLimit) {
  EXPECT_EQ(weight_limit(900, 4, 0.0), 225);
  EXPECT_EQ(weight_limit(900, 4, 0.03), 231);
  EXPECT_EQ(weight_limit(901, 4, 0.0), 226);
  EXPECT_EQ(weight_limit(10, 3, 0.0), 4);
  EXPECT_EQ(weight_limit(10, 3, 1e300), 10);
}

} // namespace
} // namespace atl::test
