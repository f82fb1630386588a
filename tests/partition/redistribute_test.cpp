#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/redistribute.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace atl::test {
namespace {

/// What all ranks together hold afterwards, by new number.
struct Whole {
  RowBlock<double> rows;
  std::vector<GlobalIndex> original;
  std::vector<GlobalIndex> begin; ///< first row of each rank
};

Whole move(const Pattern& pattern, const std::vector<int>& owner, int ranks, std::uint64_t seed,
           const std::vector<GlobalIndex>& old_original = {}) {
  Whole whole;
  const auto ranges = random_ranges(pattern.n, ranks, seed);
  run_virtual_cluster(ranks,
                      [&](CommunicatorPtr comm) {
                        const Context context = test_context(comm);
                        const GlobalIndex first = ranges[comm->rank()], last = ranges[comm->rank() + 1];
                        RowBlock<double> slab = slab_of(pattern, ranges, comm->rank());
                        Numbering old{pattern.n, first, slab.rows(), {}};
                        if (!old_original.empty())
                          old.original_index.assign(old_original.begin() + first, old_original.begin() + last);
                        const std::vector<int> mine(owner.begin() + first, owner.begin() + last);
                        const auto moved = redistribute(context, std::move(slab), mine, old);
                        EXPECT_EQ(moved.numbering.owned_begin, moved.rows.row_begin);
                        EXPECT_EQ(moved.numbering.owned_count, moved.rows.rows());
                        EXPECT_EQ(moved.numbering.n, pattern.n);
                        std::vector<GlobalIndex> original;
                        for (LocalIndex i = 0; i < moved.rows.rows(); ++i)
                          original.push_back(moved.numbering.original(i));
                        const auto all = gather(*comm, original);
                        const auto begins = comm->all_gather(moved.rows.row_begin);
                        auto rows = gather_rows(*comm, moved.rows);
                        if (comm->rank() == 0) whole = {std::move(rows), all, begins};
                      },
                      {.seed = seed});
  return whole;
}

void expect_moved(const Pattern& pattern, const std::vector<int>& owner, int ranks, const Whole& whole,
                  const std::vector<GlobalIndex>& old_original = {}) {
  ASSERT_EQ(whole.rows.n_rows, pattern.n);
  ASSERT_EQ(std::ssize(whole.original), pattern.n);
  // Old row of each new row, to look entries up in the pattern.
  std::map<GlobalIndex, GlobalIndex> old_row;
  for (GlobalIndex i = 0; i < pattern.n; ++i) old_row[old_original.empty() ? i : old_original[i]] = i;
  std::vector<GlobalIndex> old(pattern.n);
  for (GlobalIndex g = 0; g < pattern.n; ++g) old[g] = old_row.at(whole.original[g]);
  std::vector<GlobalIndex> sorted = old;
  std::sort(sorted.begin(), sorted.end());
  for (GlobalIndex i = 0; i < pattern.n; ++i) ASSERT_EQ(sorted[i], i) << "not a permutation";

  const auto rank_of = [&](GlobalIndex g) {
    return static_cast<int>(std::upper_bound(whole.begin.begin(), whole.begin.end(), g) - whole.begin.begin()) - 1;
  };
  std::size_t entries = 0;
  for (GlobalIndex g = 0; g < pattern.n; ++g) {
    EXPECT_EQ(rank_of(g), owner[old[g]]);
    for (Offset k = whole.rows.offsets[g]; k < whole.rows.offsets[g + 1]; ++k, ++entries) {
      const GlobalIndex c = whole.rows.column[k];
      EXPECT_TRUE(pattern.entries.contains({old[g], old[c]}));
      EXPECT_EQ(whole.rows.value[k], static_cast<double>(1 + old[g] + 1000 * old[c]));
    }
  }
  EXPECT_EQ(entries, pattern.entries.size());
  if (ranks == 1) return;
  for (GlobalIndex g = 1; g < pattern.n; ++g)
    if (rank_of(g) == rank_of(g - 1)) {
      EXPECT_LT(old[g - 1], old[g]);
    }
}

TEST(Redistribute, PermutedMatrixEqualsTheOriginal) {
  for (std::uint64_t seed = 1; seed <= 250; ++seed) {
    Random random(seed);
    const Pattern pattern = random_pattern(seed);
    const int ranks = 1 + static_cast<int>(random.below(16));
    std::vector<int> owner(pattern.n);
    // Some seeds leave most ranks without rows.
    const std::int64_t used = seed % 4 == 0 ? std::min(2, ranks) : ranks;
    for (int& rank : owner) rank = static_cast<int>(random.below(used));
    expect_moved(pattern, owner, ranks, move(pattern, owner, ranks, seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Redistribute, OriginalNumbersTravel) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Pattern pattern = random_pattern(seed);
    const int ranks = 2 + static_cast<int>(random.below(6));
    std::vector<int> owner(pattern.n);
    for (int& rank : owner) rank = static_cast<int>(random.below(ranks));
    std::vector<GlobalIndex> original(pattern.n);
    for (GlobalIndex i = 0; i < pattern.n; ++i) original[i] = (i * 7919 + 13) % 1000003;
    expect_moved(pattern, owner, ranks, move(pattern, owner, ranks, seed, original), original);
    if (HasFatalFailure()) return;
  }
}

TEST(Redistribute, WhereNoRowMovesNothingChanges) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const int ranks = 2 + static_cast<int>(seed % 7);
    const auto ranges = random_ranges(pattern.n, ranks, seed);
    std::vector<int> owner(pattern.n);
    for (int r = 0; r < ranks; ++r)
      for (GlobalIndex i = ranges[r]; i < ranges[r + 1]; ++i) owner[i] = r;
    expect_moved(pattern, owner, ranks, move(pattern, owner, ranks, seed));
    if (HasFatalFailure()) return;
  }
}

TEST(Redistribute, OneRankKeepsEverythingInPlace) {
  const Pattern pattern = grid(5, 4);
  RowBlock<double> block = rows_of(pattern, 0, 20);
  const auto* columns = block.column.data();
  const auto* values = block.value.data();
  const auto moved = redistribute(make_self_context(), std::move(block), std::vector<int>(20, 0), {20, 0, 20, {}});
  EXPECT_EQ(moved.rows.column.data(), columns);
  EXPECT_EQ(moved.rows.value.data(), values);
  EXPECT_TRUE(moved.numbering.identity());
}

TEST(Redistribute, RefusesTheSameOnAllRanks) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const Pattern pattern = path(9);
    RowBlock<double> slab = slab_of(pattern, block_ranges(9, 3), comm->rank());
    std::vector<int> owner(3, 0);
    if (comm->rank() == 2) owner[0] = 3;
    const Numbering old{9, slab.row_begin, 3, {}};
    try {
      (void)redistribute(context, std::move(slab), owner, old);
      ADD_FAILURE() << "owner 3 of 3 ranks was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(error.line().find("owner 3"), std::string::npos);
    }
  });
}

} // namespace
} // namespace atl::test
