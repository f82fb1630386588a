#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/islands.hpp>
#include <atoll/partition/refine.hpp>
#include <atoll/partition/repair.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <map>

namespace atl::test {
namespace {

using Step = std::function<void(const Context&, const DGraph&, std::vector<int>&)>;

/// Applies a step to a partition of the whole, over `ranks` ranks.
std::vector<int> apply(const Pattern& pattern, const std::vector<int>& start, int ranks, std::uint64_t seed,
                       const Step& step, bool by_entries = false) {
  std::vector<int> result;
  const auto ranges = random_ranges(pattern.n, ranks, seed);
  run_virtual_cluster(ranks,
                      [&](CommunicatorPtr comm) {
                        const Context context = test_context(comm);
                        const DGraph graph = make_graph(context, slab_of(pattern, ranges, comm->rank()), by_entries);
                        std::vector<int> part(start.begin() + ranges[comm->rank()],
                                              start.begin() + ranges[comm->rank() + 1]);
                        part.resize(graph.map().n_local());
                        GhostValues<int>(graph.halo).update(part);
                        step(context, graph, part);
                        // Ghosts are kept current.
                        std::vector<int> again = part;
                        GhostValues<int>(graph.halo).update(again);
                        EXPECT_EQ(again, part);
                        part.resize(graph.rows());
                        const auto all = gather(*comm, part);
                        if (comm->rank() == 0) result = all;
                      },
                      {.seed = seed});
  return result;
}

std::vector<int> random_parts(GlobalIndex n, int parts, std::uint64_t seed) {
  Random random(seed);
  std::vector<int> part(n);
  for (int& p : part) p = static_cast<int>(random.below(parts));
  return part;
}

TEST(Islands, PiecesAreTheConnectedComponents) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const std::vector<int> start = random_parts(pattern.n, 1 + static_cast<int>(seed % 3), seed);
    // The label of each row, from plain sweeps over all edges until nothing changes.
    std::vector<GlobalIndex> wanted(pattern.n);
    for (GlobalIndex i = 0; i < pattern.n; ++i) wanted[i] = i;
    const auto edges = pattern.edges();
    for (bool changed = true; changed;) {
      changed = false;
      for (const auto& [i, j] : edges)
        if (start[i] == start[j] && wanted[i] != wanted[j]) {
          wanted[i] = wanted[j] = std::min(wanted[i], wanted[j]);
          changed = true;
        }
    }
    apply(pattern, start, 1 + static_cast<int>(seed % 8), seed,
          [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
            const Pieces pieces = find_pieces(context, graph, part);
            for (LocalIndex i = 0; i < graph.rows(); ++i)
              EXPECT_EQ(pieces.label[pieces.piece_of[i]], wanted[graph.map().to_global(i)]) << pattern.name;
          });
  }
}

TEST(Islands, AComponentThatCrossesRanksManyTimesTakesFewRounds) {
  // A path that jumps between the ranks at every step: rows 0, n/2, 1, n/2 + 1, ...
  const GlobalIndex half = 2000;
  Pattern pattern = isolated(2 * half);
  for (GlobalIndex i = 0; i < half; ++i) {
    pattern.join(i, half + i);
    if (i + 1 < half) pattern.join(half + i, i + 1);
  }
  const VirtualTraffic traffic = run_virtual_cluster(2, [&](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const DGraph graph = make_graph(context, slab_of(pattern, block_ranges(2 * half, 2), comm->rank()), false);
    const Pieces pieces = find_pieces(context, graph, std::vector<int>(graph.map().n_local(), 0));
    EXPECT_TRUE(std::all_of(pieces.label.begin(), pieces.label.end(), [](GlobalIndex l) { return l == 0; }));
  });
  EXPECT_LT(traffic.reductions, 200);
}

TEST(Islands, JoinTheNeighbourWithMostEdges) {
  // 5 x 5 grid of part 0 above part 1 (two rows), with a corner of part 0 torn off inside part 1.
  const Pattern pattern = grid(5, 5);
  std::vector<int> start(25, 0);
  for (int i = 15; i < 25; ++i) start[i] = 1;
  start[24] = 0;
  EXPECT_EQ(torn_pieces(pattern, start), 1);
  const auto joined = [&](std::int64_t limit) {
    return apply(pattern, start, 3, 1, [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
      const IslandCount count = join_islands(context, graph, 2, limit, part);
      EXPECT_EQ(count.joined, limit == 10 ? 1 : 0);
      EXPECT_EQ(count.left, limit == 10 ? 0 : 1);
    });
  };
  EXPECT_EQ(torn_pieces(pattern, joined(10)), 0);
  EXPECT_EQ(joined(9), start) << "no room: part 1 has 9 rows";
}

TEST(Islands, NeverBeyondTheLimit) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const int parts = 2 + static_cast<int>(seed % 4);
    const std::vector<int> start = random_parts(pattern.n, parts, seed);
    const PlainQuality before = plain_quality(pattern, start, parts);
    const std::int64_t limit = *std::max_element(before.rows.begin(), before.rows.end()) + 2;
    const auto end = apply(pattern, start, 1 + static_cast<int>(seed % 7), seed,
                           [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
                             join_islands(context, graph, parts, limit, part);
                           });
    const PlainQuality after = plain_quality(pattern, end, parts);
    EXPECT_LE(*std::max_element(after.rows.begin(), after.rows.end()), limit) << pattern.name;
    EXPECT_LE(torn_pieces(pattern, end), torn_pieces(pattern, start)) << pattern.name;
  }
}

TEST(Refine, NeverEmptiesNorOverfillsNorLengthensTheCut) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const int parts = 2 + static_cast<int>(seed % 5), ranks = 1 + static_cast<int>(seed % 8);
    const std::vector<int> start = random_parts(pattern.n, parts, seed);
    const PlainQuality before = plain_quality(pattern, start, parts);
    const std::int64_t limit = *std::max_element(before.rows.begin(), before.rows.end());
    const auto end =
        apply(pattern, start, ranks, seed, [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
          refine(context, graph, parts, limit, 8, part);
        });
    const PlainQuality after = plain_quality(pattern, end, parts);
    EXPECT_LE(*std::max_element(after.rows.begin(), after.rows.end()), limit) << pattern.name;
    for (int p = 0; p < parts; ++p) EXPECT_TRUE(after.rows[p] > 0 || before.rows[p] == 0) << pattern.name;
    EXPECT_TRUE(ranks > 1 || after.edge_cut <= before.edge_cut) << pattern.name;
  }
}

TEST(Balance, ExcessFlowsThroughPartsThatAreFull) {
  // A path of 40 in 4 parts of 13, 10, 10, 7 rows, one after another.
  std::vector<int> start;
  for (const auto& [p, rows] : {std::pair{0, 13}, {1, 10}, {2, 10}, {3, 7}}) start.insert(start.end(), rows, p);
  for (const int ranks : {1, 2, 5}) {
    const auto end =
        apply(path(40), start, ranks, 7, [](const Context& context, const DGraph& graph, std::vector<int>& part) {
          EXPECT_GT(balance(context, graph, 4, 10, part), 0);
        });
    for (int i = 0; i < 40; ++i) EXPECT_EQ(end[i], i / 10) << "row " << i << " on " << ranks << " ranks";
  }
}

TEST(Balance, UnitRowsOfConnectedGraphsEndWithinTheLimit) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Pattern pattern = grid(4 + random.below(8), 4 + random.below(8));
    const int parts = 2 + static_cast<int>(random.below(5));
    const std::vector<int> start = random_parts(pattern.n, parts, seed);
    const std::int64_t limit = (pattern.n + parts - 1) / parts;
    const auto end = apply(pattern, start, 1 + static_cast<int>(seed % 6), seed,
                           [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
                             balance(context, graph, parts, limit, part);
                           });
    const PlainQuality after = plain_quality(pattern, end, parts);
    EXPECT_LE(*std::max_element(after.rows.begin(), after.rows.end()), limit) << "seed " << seed;
  }
}

TEST(Balance, RowsThatTouchNoPartWithRoomJumpThere) {
  // The leaves of a hub: all in part 1, which touches only the hub's part 0.
  for (const int ranks : {1, 3}) {
    std::vector<int> start(61, 1);
    start[0] = 0;
    const auto end =
        apply(star(61), start, ranks, 3, [](const Context& context, const DGraph& graph, std::vector<int>& part) {
          EXPECT_GT(balance(context, graph, 4, 16, part), 0);
        });
    const PlainQuality after = plain_quality(star(61), end, 4);
    EXPECT_LE(*std::max_element(after.rows.begin(), after.rows.end()), 16);
  }
}

TEST(Repair, SaysHowManyOfEach) {
  EXPECT_EQ((Repairs{1, 1, 1, 1}.text()),
            "; repaired: 1 empty part filled, 1 row moved for balance, 1 row of torn parts "
            "joined to a neighbour; 1 piece stays apart from its part for balance");
  EXPECT_EQ((Repairs{2, 0, 3, 4}.text()), "; repaired: 2 empty parts filled, 3 rows of torn parts joined to a "
                                          "neighbour; 4 pieces stay apart from their parts for balance");
}

TEST(Repair, EmptyPartsAreFilled) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Pattern pattern = random_pattern(seed);
    const int parts = 1 + static_cast<int>(random.below(pattern.n));
    // All rows in one or two of the parts.
    std::vector<int> start(pattern.n, static_cast<int>(random.below(parts)));
    for (int& p : start)
      if (random.below(3) == 0) p = parts / 2;
    const auto end = apply(
        pattern, start, 1 + static_cast<int>(seed % 8), seed,
        [&](const Context& context, const DGraph& graph, std::vector<int>& part) {
          const Repairs done = repair(context, graph, parts, pattern.n, part);
          EXPECT_EQ(done.text().find("filled") != std::string::npos, done.filled > 0);
        },
        seed % 2 == 0);
    const PlainQuality after = plain_quality(pattern, end, parts);
    EXPECT_EQ(std::count(after.rows.begin(), after.rows.end(), 0), 0) << pattern.name << " seed " << seed;
  }
}

TEST(Repair, NothingToDoChangesNothing) {
  const Pattern pattern = grid(6, 6);
  std::vector<int> start(36);
  for (int i = 0; i < 36; ++i) start[i] = i / 18;
  const auto end =
      apply(pattern, start, 3, 1, [](const Context& context, const DGraph& graph, std::vector<int>& part) {
        EXPECT_EQ(repair(context, graph, 2, 18, part).text(), "");
      });
  EXPECT_EQ(end, start);
}

} // namespace
} // namespace atl::test
