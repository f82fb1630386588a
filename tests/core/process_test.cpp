// What core knows of its process: memory, time, version; and its random numbers.
#include <atoll/core/memory.hpp>
#include <atoll/core/random.hpp>
#include <atoll/core/timer.hpp>
#include <atoll/core/version.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

namespace atl {
namespace {

TEST(ResidentMemory, GrowsWithWhatIsTouched) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const auto before = current_resident_bytes();
  EXPECT_GT(before, 0);
  auto memory = std::make_unique_for_overwrite<char[]>(bytes);
  std::memset(memory.get(), 1, bytes);
  EXPECT_EQ(memory[bytes / 2], 1);
  const auto during = current_resident_bytes();
  EXPECT_GT(during, before + static_cast<std::int64_t>(bytes) / 2);
  memory.reset();
  EXPECT_GE(peak_resident_bytes(), during - (1 << 20)) << "the peak stays";
}

TEST(HashBits, AreThoseOfSplitmix64) {
  // The first three outputs of splitmix64 from state 1234567: prng.di.unimi.it/splitmix64.c as quoted at
  // rosettacode.org/wiki/Pseudo-random_numbers/Splitmix64. State s gives hash_bits(s), s advancing by the
  // constant.
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;
  EXPECT_EQ(hash_bits(1234567), 6457827717110365317u);
  EXPECT_EQ(hash_bits(1234567 + step), 3203168211198807973u);
  EXPECT_EQ(hash_bits(1234567 + 2 * step), 9817491932198370423u);
}

TEST(HashUniform, LooksUniform) {
  constexpr int n = 100000;
  double sum = 0, squares = 0, products = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double u = hash_uniform(1, i), v = hash_uniform(1, i + 1), w = hash_uniform(2, i);
    ASSERT_GE(u, -1);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
    products += u * (v + w);
  }
  // Standard deviations of the means: sqrt(1/3 / n) = 0.0018, sqrt(4/45 / n) = 0.0009, sqrt(2/9 / n) =
  // 0.0015.
  EXPECT_NEAR(sum / n, 0, 0.009);
  EXPECT_NEAR(squares / n, 1.0 / 3, 0.005);
  EXPECT_NEAR(products / n, 0, 0.008) << "neighbours and seeds are independent";
}

TEST(Timer, RunsForward) {
  Timer timer;
  double last = timer.seconds();
  EXPECT_GE(last, 0);
  while (timer.seconds() <= last) {
  }
  last = timer.seconds();
  timer.restart();
  EXPECT_GE(timer.seconds(), 0);
}

TEST(Version, IsThreeNumbers) {
  int major = -1, minor = -1, patch = -1;
  char rest = 0;
  EXPECT_EQ(std::sscanf(atoll_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest), 3) << atoll_version();
}

} // namespace
} // namespace atl
