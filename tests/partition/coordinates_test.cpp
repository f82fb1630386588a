#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/coordinates.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atl::test {
namespace {

std::vector<int> bisect(int dimension, const std::vector<double>& values, int parts, int ranks,
                        std::uint64_t seed = 1) {
  const GlobalIndex n = std::ssize(values) / dimension;
  const Pattern pattern = isolated(n);
  const auto ranges = random_ranges(n, ranks, seed);
  std::vector<int> result;
  run_virtual_cluster(ranks,
                      [&](CommunicatorPtr comm) {
                        const Context context = test_context(comm);
                        const DGraph graph = make_graph(context, slab_of(pattern, ranges, comm->rank()), false);
                        const Coordinates mine{dimension,
                                               {values.begin() + ranges[comm->rank()] * dimension,
                                                values.begin() + ranges[comm->rank() + 1] * dimension}};
                        const auto all = gather(*comm, partition_coordinates(context, graph, parts, mine));
                        if (comm->rank() == 0) result = all;
                      },
                      {.seed = seed});
  return result;
}

std::vector<double> grid_points(int nx, int ny) {
  std::vector<double> points;
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) points.insert(points.end(), {double(x), double(y)});
  return points;
}

TEST(Coordinates, SquareGridGivesContiguousSlabs) {
  const std::vector<int> part = bisect(2, grid_points(6, 6), 2, 3);
  for (int i = 0; i < 36; ++i) EXPECT_EQ(part[i], i / 18);
}

TEST(Coordinates, TheLongestExtentIsCut) {
  const std::vector<int> part = bisect(2, grid_points(8, 3), 2, 2);
  for (int i = 0; i < 24; ++i) EXPECT_EQ(part[i], i % 8 / 4);
}

TEST(Coordinates, FourPartsOfASquareAreItsQuarters) {
  const std::vector<int> part = bisect(2, grid_points(4, 4), 4, 2);
  EXPECT_EQ(part, (std::vector<int>{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3}));
}

TEST(Coordinates, AnyNumberOfPartsBalancesToOneRow) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const int dimension = 1 + static_cast<int>(random.below(3));
    const GlobalIndex n = 1 + random.below(200);
    const int parts = 1 + static_cast<int>(random.below(n));
    std::vector<double> values(n * dimension);
    // Many equal coordinates on odd seeds, all the same on every tenth.
    for (double& v : values) v = seed % 10 == 0 ? 3.5 : seed % 2 ? double(random.below(4)) : random.uniform(-1, 1);
    const std::vector<int> part = bisect(dimension, values, parts, 1 + static_cast<int>(seed % 6), seed);
    std::vector<GlobalIndex> rows(parts, 0);
    for (const int p : part) ++rows[p];
    const auto [least, most] = std::minmax_element(rows.begin(), rows.end());
    EXPECT_GE(*least, n / parts) << "seed " << seed;
    EXPECT_LE(*most, (n + parts - 1) / parts) << "seed " << seed;
  }
}

TEST(Coordinates, PartsOfALineAreIntervals) {
  Random random(9);
  std::vector<double> x(300);
  for (double& v : x) v = random.uniform(-5, 5);
  const std::vector<int> part = bisect(1, x, 7, 4);
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j < x.size(); ++j) EXPECT_TRUE(x[i] >= x[j] || part[i] <= part[j]);
}

TEST(Coordinates, TheCutDoesNotDependOnTheRanks) {
  const std::vector<double> points = grid_points(13, 11);
  const std::vector<int> alone = bisect(2, points, 5, 1);
  for (const int ranks : {2, 5, 8}) EXPECT_EQ(bisect(2, points, 5, ranks, 3), alone);
}

TEST(Coordinates, HugeAndTinyExtents) {
  const double big = std::numeric_limits<double>::max();
  EXPECT_EQ(bisect(1, {-big, big, 0, 1}, 2, 2), (std::vector<int>{0, 1, 0, 1}));
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(bisect(1, {tiny, 0, 3 * tiny, 2 * tiny}, 4, 2), (std::vector<int>{1, 0, 3, 2}));
}

TEST(Coordinates, RefusesWhatIsNotFiniteOnAllRanks) {
  EXPECT_THROW(bisect(1, {0, 1, std::nan(""), 3}, 2, 2), Error);
  EXPECT_THROW(bisect(1, {0, 1, HUGE_VAL, 3}, 2, 2), Error);
}

} // namespace
} // namespace atl::test
