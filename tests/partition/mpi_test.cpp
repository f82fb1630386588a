/// PT-Scotch and the whole way from slabs to owned rows, over MPI.
#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/redistribute.hpp>

#include <gtest/gtest.h>

namespace atl::test {
namespace {

struct Cut {
  std::vector<int> part;
  Partition partition;
};

Cut cut(const Pattern& pattern, int parts, const PartitionOptions& options, std::uint64_t ranges_seed = 0) {
  const Context context = test_context(world());
  const auto ranges = ranges_seed == 0 ? block_ranges(pattern.n, context.size())
                                       : random_ranges(pattern.n, context.size(), ranges_seed);
  const DGraph graph = make_graph(context, slab_of(pattern, ranges, context.rank()), options.weight_rows_by_entries);
  Partition partition = compute_partition(context, graph, parts, options, {});
  return {gather(*context.comm, partition.owner), std::move(partition)};
}

void expect_sound(const Pattern& pattern, const Cut& c, int parts, const std::string& where) {
  EXPECT_EQ(std::ssize(c.part), pattern.n) << where;
  EXPECT_TRUE(std::all_of(c.part.begin(), c.part.end(), [&](int p) { return p >= 0 && p < parts; })) << where;
  const PlainQuality plain = plain_quality(pattern, c.part, parts);
  EXPECT_EQ(std::count(plain.rows.begin(), plain.rows.end(), 0), std::max<std::int64_t>(0, parts - pattern.n))
      << where << "; " << c.partition.why;
  EXPECT_EQ(c.partition.quality.edge_cut, plain.edge_cut) << where;
}

TEST(MpiScotch, AnyGraphAnyParts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Pattern pattern = random_pattern(seed);
    const int parts = 1 + static_cast<int>(seed % 11);
    const std::string where = pattern.name + " of " + std::to_string(pattern.n) + " into " + std::to_string(parts) +
                              ", seed " + std::to_string(seed);
    expect_sound(pattern, cut(pattern, parts, {.method = PartitionMethod::scotch, .seed = seed, .file = {}}, seed),
                 parts, where);
  }
}

TEST(MpiScotch, GridsAreBalancedWholeAndWellCut) {
  for (const auto& [imbalance, most] : {std::pair{0.0, 225}, {0.03, 231}, {0.30, 292}}) {
    const Pattern pattern = grid(30, 30);
    const Cut c = cut(pattern, 4, {.method = PartitionMethod::scotch, .imbalance = imbalance, .file = {}});
    EXPECT_EQ(c.partition.method, PartitionMethod::scotch);
    EXPECT_LE(c.partition.quality.rows_max, most) << c.partition.why;
    EXPECT_LE(c.partition.quality.edge_cut, 120);
    EXPECT_EQ(torn_pieces(pattern, c.part), 0);
  }
}

TEST(MpiScotch, SameSeedSameCut) {
  const Pattern pattern = grid(40, 35);
  const PartitionOptions options{.method = PartitionMethod::scotch, .seed = 3, .file = {}};
  const Cut first = cut(pattern, 6, options);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(cut(pattern, 6, options).part, first.part);
}

TEST(MpiMetis, SameSeedSameCut) {
  const Pattern pattern = power_law(400, 3, 11);
  const PartitionOptions options{.method = PartitionMethod::metis, .seed = 3, .file = {}};
  const Cut first = cut(pattern, 6, options);
  for (int again = 0; again < 3; ++again) EXPECT_EQ(cut(pattern, 6, options).part, first.part);
}

TEST(MpiMetis, AgreesWithTheVirtualCluster) {
  const Pattern pattern = grid(20, 20);
  const PartitionOptions options{.method = PartitionMethod::metis, .file = {}};
  const Cut mpi = cut(pattern, 5, options);
  std::vector<int> simulated;
  const int ranks = world()->size();
  run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const DGraph graph = make_graph(context, slab_of(pattern, block_ranges(pattern.n, ranks), comm->rank()), true);
    const auto part = gather(*comm, compute_partition(context, graph, 5, options, {}).owner);
    if (comm->rank() == 0) simulated = part;
  });
  EXPECT_EQ(mpi.part, simulated);
}

TEST(MpiRedistribute, EntriesAreThoseOfTheOriginal) {
  const Context context = test_context(world());
  for (const PartitionMethod method : {PartitionMethod::metis, PartitionMethod::scotch, PartitionMethod::block}) {
    const Pattern pattern = grid(17, 13);
    const auto ranges = block_ranges(pattern.n, context.size());
    RowBlock<double> slab = slab_of(pattern, ranges, context.rank());
    const DGraph graph = make_graph(context, slab, true);
    const Partition p = compute_partition(context, graph, context.size(), {.method = method, .file = {}}, {});
    const Numbering old{pattern.n, slab.row_begin, slab.rows(), {}};
    const auto moved = redistribute(context, std::move(slab), p.owner, old);
    std::vector<GlobalIndex> mine;
    for (LocalIndex i = 0; i < moved.rows.rows(); ++i) mine.push_back(moved.numbering.original(i));
    const std::vector<GlobalIndex> original = gather(*context.comm, mine);
    std::set<std::pair<GlobalIndex, GlobalIndex>> found;
    for (LocalIndex i = 0; i < moved.rows.rows(); ++i)
      for (Offset k = moved.rows.offsets[i]; k < moved.rows.offsets[i + 1]; ++k) {
        const GlobalIndex row = original[moved.rows.row_begin + i], column = original[moved.rows.column[k]];
        EXPECT_EQ(moved.rows.value[k], static_cast<double>(1 + row + 1000 * column));
        found.emplace(row, column);
      }
    std::set<std::pair<GlobalIndex, GlobalIndex>> wanted;
    for (const auto& [row, column] : pattern.entries)
      if (std::find(mine.begin(), mine.end(), row) != mine.end()) wanted.emplace(row, column);
    EXPECT_EQ(found, wanted);
  }
}

} // namespace
} // namespace atl::test
