#include "support/gather.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace atl::test {
namespace {

TEST(RandomMatrixSupport, ValuesOfSplitMix64) {
  // First outputs for seed 1234567: the reference implementation by S. Vigna (prng.di.unimi.it/splitmix64.c).
  Random random(1234567);
  EXPECT_EQ(random.next(), 6457827717110365317u);
  EXPECT_EQ(random.next(), 3203168211198807973u);
}

TEST(RandomMatrixSupport, EveryCutSeesTheSameMatrix) {
  const RandomMatrix matrix{.rows = 17, .cols = 17, .density = 0.3, .seed = 5, .spd = true};
  const auto whole = random_rows<double>(matrix, 0, 17);
  const auto part = random_rows<double>(matrix, 4, 9);
  const auto begin = whole.column.begin() + whole.offsets[4], end = whole.column.begin() + whole.offsets[9];
  EXPECT_EQ(std::vector<GlobalIndex>(begin, end), part.column);
}

TEST(RandomMatrixSupport, SpdIsSymmetricAndDominant) {
  const RandomMatrix matrix{.rows = 30, .cols = 30, .density = 0.2, .seed = 3, .spd = true};
  const auto a = to_dense(random_rows<double>(matrix, 0, 30));
  for (std::size_t i = 0; i < 30; ++i) {
    double beside = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      EXPECT_EQ(a[i * 30 + j], a[j * 30 + i]);
      if (i != j) beside += std::abs(a[i * 30 + j]);
    }
    EXPECT_NEAR(a[i * 30 + i] - beside, 1, 1e-12);
  }
}

TEST(RandomMatrixSupport, RangesCoverAllRows) {
  for (const int ranks : {1, 2, 7, 64}) {
    const auto ranges = random_ranges(40, ranks, 9);
    EXPECT_EQ(std::ssize(ranges), ranks + 1);
    EXPECT_EQ(ranges.front(), 0);
    EXPECT_EQ(ranges.back(), 40);
  }
}

} // namespace
} // namespace atl::test
