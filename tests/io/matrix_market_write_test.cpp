#include "matrix_text.hpp"
#include "store_sample.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/io/matrix_market.hpp>

#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace atl {
namespace {

using test::random_slab;
using test::TemporaryFolder;

std::string file_in(const TemporaryFolder& folder) { return folder.file("A.mtx"); }

TEST(MatrixMarketWrite, GivesTheSameBytesOnAnyNumberOfRanks) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  const test::RandomMatrix matrix{.rows = 57, .cols = 57, .seed = 5, .spd = true};
  for (const bool symmetric : {false, true}) {
    write_matrix_market(test::test_context(alone), file_in(folder), random_slab<double>(matrix, 0, 1), symmetric);
    const std::string expected = test::read_bytes(file_in(folder));
    for (const int ranks : {2, 3, 64}) {
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        const auto block = random_slab<double>(matrix, comm->rank(), comm->size());
        write_matrix_market(test::test_context(comm), file_in(folder), block, symmetric);
      });
      EXPECT_EQ(test::read_bytes(file_in(folder)), expected) << ranks;
    }
  }
  EXPECT_EQ(folder.list().size(), 1u); // nothing left beside it
}

TEST(MatrixMarketWrite, SpellsIndicesAndValuesAsTheFormatAsks) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  RowBlock<double> block;
  block.n_rows = 2;
  block.n_cols = 10000001; // scipy/scipy#4865: written as 1e+07 once
  block.offsets = {0, 1, 3};
  block.column = {10000000, 0, 1};
  block.value = {3.141592653589793, 0.1, -2};
  write_matrix_market(test::test_context(alone), file_in(folder), block);
  EXPECT_EQ(test::read_bytes(file_in(folder)), "%%MatrixMarket matrix coordinate real general\n2 10000001 3\n"
                                               "1 10000001 3.141592653589793\n2 1 0.1\n2 2 -2\n");
}

TEST(MatrixMarketWrite, ValuesComeBackToTheLastBit) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  test::Random random(11);
  DenseSlab<double> slab{3000, 1, {}};
  while (slab.values.size() < 2994) {
    const auto value = std::bit_cast<double>(random.next());
    if (std::isfinite(value)) slab.values.push_back(value);
  }
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, Limits::max(), Limits::min(), Limits::denorm_min(), 1.0 / 3})
    slab.values.push_back(value);
  const auto context = test::test_context(alone);
  write_dense_matrix_market(context, file_in(folder), slab);
  const auto back = read_dense_matrix_market<double>(context, file_in(folder));
  EXPECT_EQ(back.rows, 3000);
  EXPECT_EQ(back.cols, 1);
  ASSERT_EQ(back.values.size(), slab.values.size());
  for (std::size_t i = 0; i < slab.values.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint64_t>(back.values[i]), std::bit_cast<std::uint64_t>(slab.values[i]));
}

TEST(MatrixMarketWrite, SinglePrecisionHasItsOwnShortestDigits) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  const DenseSlab<float> slab{2, 1, {0.1f, 16777217.0f}};
  write_dense_matrix_market(test::test_context(alone), file_in(folder), slab);
  EXPECT_EQ(test::read_bytes(file_in(folder)), "%%MatrixMarket matrix array real general\n2 1\n0.1\n16777216\n");
  test::write_bytes(file_in(folder), "%%MatrixMarket matrix array real general\n1 1\n1e39\n");
  EXPECT_THROW(read_dense_matrix_market<float>(test::test_context(alone), file_in(folder)), Error);
}

TEST(MatrixMarketWrite, ArraysGoByColumnsFromAllRanks) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  for (const int ranks : {1, 2, 3, 8}) {
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      const BlockRange slabs{5, comm->size()};
      DenseSlab<double> slab{5, 2, {}};
      for (GlobalIndex i = slabs.begin(comm->rank()); i < slabs.begin(comm->rank() + 1); ++i)
        for (const int c : {0, 1}) slab.values.push_back(static_cast<double>(10 * i + c));
      write_dense_matrix_market(test::test_context(comm), file_in(folder), slab);
    });
    EXPECT_EQ(test::read_bytes(file_in(folder)),
              "%%MatrixMarket matrix array real general\n5 2\n0\n10\n20\n30\n40\n1\n11\n21\n31\n41\n");
  }
}

/// The error that all ranks get when rank `faulty` of four holds a value that is not finite.
TEST(MatrixMarketWrite, AFailureOnOneRankFailsAllAndLeavesTheOldFile) {
  const auto alone = make_self_communicator();
  const TemporaryFolder folder(alone);
  for (int faulty = 0; faulty < 4; ++faulty) {
    test::write_bytes(file_in(folder), "old");
    int failures = 0;
    run_virtual_cluster(4, [&](CommunicatorPtr comm) {
      DenseSlab<double> slab{4, 1, {1}};
      if (comm->rank() == faulty) slab.values[0] = std::nan("");
      try {
        write_dense_matrix_market(test::test_context(comm), file_in(folder), slab);
      } catch (const Error& error) {
        ++failures; // one rank runs at a time
        EXPECT_EQ(error.kind(), ErrorKind::bad_input);
        EXPECT_NE(error.line().find("nan"), std::string::npos) << error.line();
      }
    });
    EXPECT_EQ(failures, 4);
    EXPECT_EQ(test::read_bytes(file_in(folder)), "old");
    EXPECT_EQ(folder.list().size(), 1u);
  }
}

TEST(MatrixMarketWrite, AFullDiskFailsAllRanks) {
  // /dev/full is a device, so it is written directly; every write to it finds no space.
  int failures = 0;
  run_virtual_cluster(3, [&](CommunicatorPtr comm) {
    try {
      write_dense_matrix_market(test::test_context(comm), "/dev/full", DenseSlab<double>{3, 1, {1}});
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      EXPECT_NE(error.line().find("No space left"), std::string::npos) << error.line();
    }
  });
  EXPECT_EQ(failures, 3);
}

} // namespace
} // namespace atl
