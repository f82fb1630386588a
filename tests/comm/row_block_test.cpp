#include <atoll/comm/block_range.hpp>
#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

namespace atl {
namespace {

using test::Random;

TEST(BlockRange, CoversEverythingOnceAndEvenly) {
  for (GlobalIndex n : {0, 1, 2, 7, 64, 1000})
    for (int ranks : {1, 2, 3, 7, 65}) {
      const BlockRange range{n, ranks};
      EXPECT_EQ(range.begin(0), 0);
      EXPECT_EQ(range.begin(ranks), n);
      for (int r = 0; r < ranks; ++r) {
        EXPECT_LE(range.size(r), n / ranks + 1);
        EXPECT_GE(range.size(r), n / ranks);
        for (GlobalIndex i = range.begin(r); i < range.begin(r + 1); ++i) EXPECT_EQ(range.owner(i), r);
      }
    }
  const BlockRange huge{GlobalIndex{1} << 60, 1000};
  EXPECT_EQ(huge.owner(huge.begin(777)), 777);
  EXPECT_EQ(huge.owner(huge.begin(777) - 1), 776);
}

TEST(RowBlock, SortingSumsDuplicatesAndKeepsRows) {
  RowBlock<double> block{4, 9, 0, {0, 3, 3, 7, 8}, {5, 1, 5, 8, 0, 8, 8, 2}, {1, 2, 3, 4, 5, 6, 7, 8}};
  sort_rows(block);
  EXPECT_EQ(block.offsets, (std::vector<Offset>{0, 2, 2, 4, 5}));
  EXPECT_EQ(block.column, (std::vector<GlobalIndex>{1, 5, 0, 8, 2}));
  EXPECT_EQ(block.value, (std::vector<double>{2, 4, 5, 17, 8}));
}

TEST(RowBlock, LongRowsSortAsShortOnesDo) {
  Random random(5);
  RowBlock<double> block{1, 50, 0, {0, 400}, {}, {}};
  std::map<GlobalIndex, double> expected;
  for (int e = 0; e < 400; ++e) {
    block.column.push_back(random.below(50));
    block.value.push_back(1);
    expected[block.column.back()] += 1;
  }
  sort_rows(block);
  ASSERT_EQ(std::ssize(expected), block.entries());
  Offset e = 0;
  for (const auto& [column, value] : expected) {
    EXPECT_EQ(block.column[e], column);
    EXPECT_EQ(block.value[e++], value);
  }
}

TEST(RowBlock, BrokenBlocksAreRefusedOnAllRanks) {
  run_virtual_cluster(2, [](CommunicatorPtr comm) {
    const bool here = comm->rank() == 1;
    const auto good = [&] { return RowBlock<double>{4, 4, comm->rank() * 2, {0, 1, 2}, {0, 3}, {1, 1}}; };
    validate(*comm, good());
    auto block = good();
    if (here) block.offsets = {0, 2, 1};
    EXPECT_THROW(validate(*comm, block), Error);
    block = good();
    if (here) block.column = {0, 4};
    EXPECT_THROW(validate(*comm, block), Error);
    block = good();
    if (here) block.column = {-1, 0};
    EXPECT_THROW(validate(*comm, block), Error);
    block = good();
    if (here) block.value.pop_back();
    EXPECT_THROW(validate(*comm, block), Error);
    block = good();
    if (here) block.row_begin = 1;
    EXPECT_THROW(validate(*comm, block), Error);
    block = good();
    block.n_rows = 5;
    EXPECT_THROW(validate(*comm, block), Error);
  });
}

TEST(Assemble, EntriesOfAnyRankReachTheirOwnersAndAreSummed) {
  for (int ranks : {1, 2, 5, 16})
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      run_virtual_cluster(
          ranks,
          [&](CommunicatorPtr comm) {
            const Context context = test::test_context(comm);
            constexpr GlobalIndex n = 30, m = 20;
            const auto ranges = test::random_ranges(n, ranks, seed);
            // Every rank adds entries anywhere; small integers, so that sums are exact in any order.
            Random random(seed * 100 + static_cast<std::uint64_t>(comm->rank()));
            std::vector<Triplet<double>> triplets;
            std::vector<double> expected(n * m, 0);
            for (int e = 0; e < 50; ++e) {
              triplets.push_back({random.below(n), random.below(m), static_cast<double>(1 + random.below(5))});
              expected[triplets.back().row * m + triplets.back().column] += triplets.back().value;
            }
            comm->all_reduce(std::span(expected), ReduceOp::sum);
            const auto count = static_cast<LocalIndex>(ranges[comm->rank() + 1] - ranges[comm->rank()]);
            const auto block = assemble(context, n, m, count, std::move(triplets));
            EXPECT_EQ(block.row_begin, ranges[comm->rank()]);
            EXPECT_EQ(test::to_dense(test::gather_rows(*comm, block)), expected);
          },
          {.seed = seed});
}

TEST(Assemble, EntryOutsideTheMatrixIsRefusedOnAllRanks) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    std::vector<Triplet<double>> triplets;
    if (comm->rank() == 2) triplets.push_back({3, 0, 1.0});
    EXPECT_THROW((void)assemble(test::test_context(comm), 3, 3, 1, std::move(triplets)), Error);
  });
}

/// A random permutation cut into random ranges, the same on all ranks.
Numbering random_numbering(const Context& context, GlobalIndex n, std::uint64_t seed) {
  std::vector<GlobalIndex> permutation(static_cast<std::size_t>(n));
  std::iota(permutation.begin(), permutation.end(), 0);
  Random random(seed);
  for (GlobalIndex i = n - 1; i > 0; --i) std::swap(permutation[i], permutation[random.below(i + 1)]);
  const auto ranges = test::random_ranges(n, context.size(), seed);
  const GlobalIndex begin = ranges[context.rank()], end = ranges[context.rank() + 1];
  return {n, begin, static_cast<LocalIndex>(end - begin), {permutation.begin() + begin, permutation.begin() + end}};
}

void check_numbering(const Context& context, GlobalIndex n, std::uint64_t seed) {
  const Numbering numbering = random_numbering(context, n, seed);
  const BlockRange slabs{n, context.size()};
  for (LocalIndex columns : {1, 2}) {
    std::vector<double> slab;
    for (GlobalIndex i = slabs.begin(context.rank()); i < slabs.begin(context.rank() + 1); ++i)
      for (LocalIndex c = 0; c < columns; ++c) slab.push_back(static_cast<double>(10 * i + c));
    const auto owned = from_original<double>(context, numbering, slab, columns);
    ASSERT_EQ(std::ssize(owned), Offset{numbering.owned_count} * columns);
    for (LocalIndex i = 0; i < numbering.owned_count; ++i)
      for (LocalIndex c = 0; c < columns; ++c)
        EXPECT_EQ(owned[i * columns + c], static_cast<double>(10 * numbering.original(i) + c));
    EXPECT_EQ(to_original<double>(context, numbering, owned, columns), slab);
  }
}

TEST(Numbering, ThereAndBackOnManyRanks) {
  for (int ranks : {1, 2, 3, 16})
    for (GlobalIndex n : {0, 1, 40})
      for (std::uint64_t seed = 1; seed <= 3; ++seed)
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) { check_numbering(test::test_context(comm), n, seed); },
                            {.seed = seed});
}

TEST(Numbering, IdentityWithUnevenRangesStillRoutes) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const LocalIndex counts[] = {5, 0, 1};
    const GlobalIndex begins[] = {0, 5, 5};
    const Context context = test::test_context(comm);
    const Numbering numbering{6, begins[comm->rank()], counts[comm->rank()], {}};
    const std::vector<double> slab{2.0 * comm->rank(), 2.0 * comm->rank() + 1};
    const auto owned = from_original<double>(context, numbering, slab);
    for (LocalIndex i = 0; i < numbering.owned_count; ++i)
      EXPECT_EQ(owned[i], static_cast<double>(numbering.owned_begin + i));
    EXPECT_EQ(to_original<double>(context, numbering, owned), slab);
  });
}

TEST(MpiNumbering, ThereAndBack) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) check_numbering(test::test_context(test::world()), 37, seed);
}

} // namespace
} // namespace atl
