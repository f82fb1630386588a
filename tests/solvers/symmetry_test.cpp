#include "problems.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace atl {
namespace {

using test::System;

double one(GlobalIndex) { return 1; }

/// A symmetric pattern of hashed entries with one place spoilt.
test::Entry spoilt(GlobalIndex row, GlobalIndex column, double value) {
  return [=](GlobalIndex i, GlobalIndex j) {
    if (i == row && j == column) return value;
    return (std::min(i, j) * 7 + std::max(i, j) * 5) % 4 == 0 ? 1.0 + static_cast<double>(i + j) : 0.0;
  };
}

TEST(Symmetry, FindsTheWorstPairOnManyRanks) {
  for (const auto& executor : test::executor_names())
    for (int ranks : {1, 2, 5, 12})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
          const Context context = test::test_context(comm, executor);
          System<double> good(context, 24, spoilt(-1, -1, 0), one, seed);
          const auto symmetric = check_symmetry(*good.a);
          EXPECT_TRUE(symmetric.pattern && symmetric.values);
          EXPECT_EQ(symmetric.max_difference, 0);
          EXPECT_EQ(symmetric.row, -1);

          // (20, 0) and its mirror hold 21 ((0*7 + 20*5) % 4 == 0).
          System<double> value(context, 24, spoilt(20, 0, 24), one, seed);
          const auto other = check_symmetry(*value.a);
          EXPECT_TRUE(other.pattern);
          EXPECT_FALSE(other.values);
          EXPECT_EQ(other.max_difference, 3);
          EXPECT_EQ(other.row + other.column, 20);

          System<double> missing(context, 24, spoilt(20, 0, 0), one, seed);
          const auto hole = check_symmetry(*missing.a);
          EXPECT_FALSE(hole.pattern || hole.values);
          EXPECT_EQ(hole.max_difference, 21);
        });
}

TEST(Symmetry, RoundingIsForgiven) {
  const auto nearly = [](GlobalIndex i, GlobalIndex j) {
    return (i < j ? 1 + 1e-15 : 1.0) * (1 + static_cast<double>(i + j));
  };
  System<double> s(test::test_context(make_self_communicator()), 10, nearly, one);
  EXPECT_TRUE(check_symmetry(*s.a).values);
}

} // namespace
} // namespace atl
