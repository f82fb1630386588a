#include <atoll/core/exact_sum.hpp>
#include <atoll/core/host/packed_loops.hpp>
#include <atoll/core/kernels.hpp>

#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

double sum_of(std::initializer_list<double> terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

/// Terms of all sizes, of which the largest cancel.
std::vector<double> wild_terms(std::uint64_t seed, std::size_t count, int exponents) {
  test::Random random(seed);
  std::vector<double> terms;
  while (terms.size() < count) {
    const auto exponent = static_cast<int>(random.below(2 * exponents + 1)) - exponents;
    const double term = std::ldexp(random.uniform(-1, 1), exponent);
    terms.push_back(term);
    if (random.below(2) == 0 && terms.size() < count) terms.push_back(-term * (1 + 0x1p-40));
  }
  return terms;
}

TEST(ExactSum, HandNumbers) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum_of({1e308, 1e308, -1e308}), 1e308); // beyond the range on the way
  EXPECT_EQ(sum_of({0.1, 0.2, -0.3}), 0x1p-55);     // of the three doubles, by their digits
  EXPECT_EQ(sum_of({5e-324, 5e-324}), 1e-323);
  EXPECT_EQ(sum_of({5e-324, -1, 1}), 5e-324);
  EXPECT_EQ(sum_of({-1, 0x1p-60, -0x1p-60}), -1);
  EXPECT_TRUE(std::isnan(sum_of({1, std::numeric_limits<double>::infinity()})));
  EXPECT_TRUE(std::isnan(sum_of({std::numeric_limits<double>::quiet_NaN()})));
  EXPECT_TRUE(std::isinf(sum_of({1e308, 1e308})));
}

TEST(ExactSum, RoundsOnceToNearestEven) {
  const double big = 0x1p53;
  EXPECT_EQ(sum_of({big, 1}), big); // half way, to even
  EXPECT_EQ(sum_of({big, 1, 0x1p-900}), big + 2);
  EXPECT_EQ(sum_of({big, 3}), big + 4);
  EXPECT_EQ(sum_of({-big, -1, -0x1p-900}), -big - 2);
  EXPECT_EQ(sum_of({big, 1, -0x1p-900}), big);
}

TEST(ExactSum, OrderAndGroupingDoNotMatter) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<double> terms = wild_terms(seed, 700, 400);
    ExactSum forward, grouped[3];
    for (const double term : terms) forward.add(term);
    test::Random random(seed + 1000);
    for (std::size_t i = terms.size(); i > 1; --i)
      std::swap(terms[i - 1], terms[static_cast<std::size_t>(random.below(static_cast<std::int64_t>(i)))]);
    for (std::size_t i = 0; i < terms.size(); ++i) grouped[i % 3].add(terms[i]);
    for (const ExactSum& group : {grouped[1], grouped[2]}) grouped[0].add(group);
    EXPECT_EQ(grouped[0].value(), forward.value());

    for (const double term : terms) forward.add(-term);
    EXPECT_EQ(forward.value(), 0);
  }
}

TEST(ExactSum, LongSumsAgreeWithExtendedOnes) {
  // Terms of one size: 64 bits of mantissa hold their sum exactly.
  test::Random random(7);
  ExactSum sum;
  long double expected = 0;
  for (int i = 0; i < 2000; ++i) {
    const double term = std::ldexp(static_cast<double>(random.below(1 << 30) - (1 << 29)), -20);
    sum.add(term);
    expected += term;
  }
  EXPECT_EQ(sum.value(), static_cast<double>(expected));
}

/// Levels together are the sum, for every instruction set of this processor.
TEST(ExactLevels, TakeWholeSums) {
  for (const char* set : {"baseline", "x86-64-v3", "x86-64-v4"}) {
    const auto* loops = host::packed_loops<double>(set);
    if (!loops) continue;
    for (const int exponents : {0, 10, 60, 300, 1000})
      for (const std::size_t count : {0u, 1u, 7u, 8u, 1000u, 1024u}) {
        std::vector<double> terms = wild_terms(count + static_cast<std::size_t>(exponents), count, exponents);
        ExactSum expected, found;
        for (const double term : terms) expected.add(term);
        double levels[host::most_levels];
        bool rest = false;
        const int n = loops->exact_levels(static_cast<LocalIndex>(count), terms.data(), levels, &rest);
        for (int l = 0; l < n; ++l) found.add(levels[l]);
        for (const double term : terms) EXPECT_TRUE(rest || term == 0);
        for (const double term : terms) found.add(term);
        EXPECT_EQ(found.value(), expected.value()) << set << ' ' << exponents << ' ' << count;
      }
  }
}

TEST(ExactDot, HostEqualsTheReferenceForAnyThreads) {
  const std::vector<double> x = wild_terms(3, 30001, 90), y = wild_terms(4, 30001, 30);
  ExactSum expected;
  make_reference_executor()->kernels<double>().exact_dot(std::ssize(x), x.data(), y.data(), expected);
  for (const int threads : {1, 2, 3, 5}) {
    ExactSum sum;
    make_host_executor(threads)->kernels<double>().exact_dot(std::ssize(x), x.data(), y.data(), sum);
    EXPECT_EQ(sum.value(), expected.value());
  }
}

} // namespace
} // namespace atl
