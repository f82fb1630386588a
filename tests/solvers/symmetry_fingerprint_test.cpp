/// The fast way to find a matrix symmetric misses nothing: one value or one place that differs, wherever it lies.

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <gtest/gtest.h>
#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <limits>
#include <map>

namespace atl {
namespace {

using Entries = std::map<std::pair<GlobalIndex, GlobalIndex>, double>;

constexpr GlobalIndex n = 300;

Entries symmetric_entries(std::uint64_t seed) {
  test::Random random(seed);
  Entries entries;
  for (int e = 0; e < 900; ++e) {
    const GlobalIndex i = random.below(n), j = random.below(n);
    // Some values occur often, some are zero of either sign: sums and exclusive ors of values would cancel.
    const double value = e % 3 ? static_cast<double>(random.below(3) - 1) : random.uniform(-1, 1);
    entries[{i, j}] = entries[{j, i}] = value;
  }
  return entries;
}

template <class T>
SymmetryReport check(const Context& context, const Entries& entries) {
  const auto ranges = test::random_ranges(n, context.size(), 9);
  RowBlock<T> block{n, n, ranges[context.rank()], {0}, {}, {}};
  for (GlobalIndex r = block.row_begin; r < ranges[context.rank() + 1]; ++r) {
    for (auto e = entries.lower_bound({r, 0}); e != entries.end() && e->first.first == r; ++e) {
      block.column.push_back(e->first.second);
      block.value.push_back(static_cast<T>(e->second));
    }
    block.offsets.push_back(block.entries());
  }
  return check_symmetry(DSparseMatrix<T>::from_rows(context, std::move(block)));
}

TEST(SymmetryFingerprint, SymmetricMatricesPass) {
  for (const char* executor : {"host", "guarded"})
    for (const int ranks : {1, 2, 4, 9, 30})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
          const Context context = test::test_context(comm, executor);
          for (const SymmetryReport& report :
               {check<double>(context, symmetric_entries(seed)), check<float>(context, symmetric_entries(seed)),
                check<double>(context, {})}) {
            EXPECT_TRUE(report.pattern && report.values);
            EXPECT_EQ(report.max_difference, 0);
            EXPECT_EQ(report.row, -1);
          }
        });
}

TEST(SymmetryFingerprint, OneDifferenceIsFoundWhereverItLies) {
  const Entries whole = symmetric_entries(4);
  for (const int ranks : {1, 5})
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      const Context context = test::test_context(comm, "host");
      test::Random random(5);
      for (int repeat = 0; repeat < 60; ++repeat) {
        Entries entries = whole;
        auto spoilt = std::next(entries.begin(), random.below(std::ssize(entries)));
        const auto [row, column] = spoilt->first;
        if (row == column) continue;
        if (repeat % 2 == 0) {
          spoilt->second += 0.125;
          const SymmetryReport report = check<double>(context, entries);
          EXPECT_TRUE(report.pattern);
          EXPECT_FALSE(report.values);
          EXPECT_NEAR(report.max_difference, 0.125, 1e-15);
          EXPECT_EQ(std::minmax(report.row, report.column), std::minmax(row, column));
        } else {
          entries.erase(spoilt);
          EXPECT_FALSE(check<double>(context, entries).pattern);
        }
      }
    });
}

TEST(SymmetryFingerprint, DifferencesThatCancelAreFound) {
  // Two values of the upper half change places; a value moves to another row; two changes of opposite sign.
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const Context context = test::test_context(comm, "host");
    Entries a{{{1, 2}, 3.0}, {{2, 1}, 3.0}, {{1, 250}, 5.0}, {{250, 1}, 5.0}, {{7, 8}, 3.0}, {{8, 7}, 3.0}};
    EXPECT_TRUE(check<double>(context, a).values);
    Entries swapped = a;
    std::swap(swapped.at({1, 2}), swapped.at({1, 250}));
    EXPECT_FALSE(check<double>(context, swapped).values);
    Entries moved = a;
    moved.erase({7, 8});
    moved[{7, 9}] = 3.0;
    EXPECT_FALSE(check<double>(context, moved).pattern);
    Entries opposite = a;
    opposite.at({1, 2}) += 1;
    opposite.at({7, 8}) -= 1;
    EXPECT_FALSE(check<double>(context, opposite).values);
    Entries twice = a; // the same change above and below, in different places
    twice.at({1, 2}) = 4;
    twice.at({8, 7}) = 4;
    EXPECT_FALSE(check<double>(context, twice).values);
    Entries skew = a; // a skew-symmetric matrix is not symmetric
    for (auto& [place, value] : skew)
      if (place.first > place.second) value = -value;
    EXPECT_FALSE(check<double>(context, skew).values);
  });
}

TEST(SymmetryFingerprint, ZerosOfEitherSignAreEqualAndRoundingIsForgiven) {
  const Context context = test::test_context(make_self_communicator(), "host");
  Entries a{{{1, 2}, 0.0}, {{2, 1}, -0.0}, {{3, 4}, 1.0}, {{4, 3}, 1.0 + std::numeric_limits<double>::epsilon()}};
  const SymmetryReport report = check<double>(context, a);
  EXPECT_TRUE(report.pattern && report.values);
}

} // namespace
} // namespace atl
