// Stores written by one rank: content, layout, what other programs and other rank counts find.
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/io/checksum.hpp>
#include <atoll/io/store.hpp>

#include "store_sample.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace atl::test {
namespace {

const RandomMatrix small{.rows = 40, .cols = 40, .density = 0.1, .seed = 11};

/// Parts of `sample` written by one rank.
template <class T>
void write_parts(const std::string& path, const StoreSample& sample, const StoreOptions& options = {}) {
  const Context self = test_context(make_self_communicator());
  write_store(self, path, sample.rows<T>(0, sample.matrix.rows), sample.numbering(0, sample.matrix.rows),
              std::span<const GlobalIndex>(sample.ranges), options);
}

TEST(Store, VirtualRanksLoadWhatOneRankWrote) {
  const TemporaryFolder folder(make_self_communicator());
  for (const int parts : {1, 5, 16}) {
    const StoreSample sample(small, parts, 12);
    const std::string path = folder.file("a.h5");
    write_parts<double>(path, sample);
    for (const int ranks : {1, 3, 5, 16, 64}) {
      SCOPED_TRACE(std::to_string(parts) + " parts on " + std::to_string(ranks) + " ranks");
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        const StoredMatrix<double> stored = read_store<double>(test_context(comm), path);
        const GlobalIndex begin = stored.rows.row_begin, end = stored.rows.row_end();
        EXPECT_EQ(stored.parts, parts);
        EXPECT_EQ(stored.same_layout, parts == ranks);
        if (stored.same_layout) {
          EXPECT_EQ(begin, sample.ranges[static_cast<std::size_t>(comm->rank())]);
        } else {
          const BlockRange blocks{small.rows, ranks};
          EXPECT_EQ(begin, blocks.begin(comm->rank()));
        }
        EXPECT_EQ(difference(stored.rows, sample.rows<double>(begin, end)), "");
        EXPECT_EQ(stored.numbering.original_index, sample.numbering(begin, end).original_index);
      });
    }
  }
}

TEST(Store, PrecisionsConvert) {
  const TemporaryFolder folder(make_self_communicator());
  const Context self = test_context(make_self_communicator());
  const StoreSample sample(small, 3, 13);
  write_parts<float>(folder.file("float.h5"), sample);
  write_parts<double>(folder.file("double.h5"), sample);
  const RowBlock<float> single = sample.rows<float>(0, small.rows);
  EXPECT_EQ(difference(read_store<float>(self, folder.file("double.h5")).rows, single), "");
  RowBlock<double> widened = sample.rows<double>(0, small.rows);
  for (std::size_t k = 0; k < single.value.size(); ++k) widened.value[k] = double{single.value[k]};
  EXPECT_EQ(difference(read_store<double>(self, folder.file("float.h5")).rows, widened), "");

  const std::vector<double> huge{1, 1e300};
  write_dense_store<double>(self, folder.file("huge.h5"), 2, 1, huge);
  GlobalIndex rows = 0;
  LocalIndex cols = 0;
  EXPECT_THROW((void)read_dense_store<float>(self, folder.file("huge.h5"), rows, cols), Error);
}

TEST(Store, SpecialValuesAndWideColumnsSurvive) {
  const TemporaryFolder folder(make_self_communicator());
  const Context self = test_context(make_self_communicator());
  RowBlock<double> rows;
  rows.n_rows = 2;
  rows.n_cols = GlobalIndex{1} << 40; // needs 64-bit indices
  rows.offsets = {0, 3, 4};
  rows.column = {0, 5000000000, rows.n_cols - 1, 7};
  rows.value = {-0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::denorm_min(), 1.0 / 3};
  write_store(self, folder.file("a.h5"), rows, {2, 0, 2, {}}, {.compress = false, .name = "wide ä"});
  const StoredMatrix<double> stored = read_store<double>(self, folder.file("a.h5"));
  EXPECT_EQ(difference(stored.rows, rows), "");
  EXPECT_TRUE(std::signbit(stored.rows.value[0]));
  EXPECT_TRUE(stored.numbering.identity());
  EXPECT_EQ(stored.name, "wide ä");
}

TEST(Store, SameMatrixSameBytes) {
  const TemporaryFolder folder(make_self_communicator());
  const StoreSample sample(small, 3, 14);
  for (const bool compress : {false, true}) {
    write_parts<double>(folder.file("a.h5"), sample, {compress, "x"});
    write_parts<double>(folder.file("b.h5"), sample, {compress, "x"});
    EXPECT_TRUE(read_bytes(folder.file("a.h5")) == read_bytes(folder.file("b.h5")));
  }
}

TEST(Store, CompressionShrinksPatternedValues) {
  const TemporaryFolder folder(make_self_communicator());
  const Context self = test_context(make_self_communicator());
  RowBlock<double> rows;
  rows.n_rows = rows.n_cols = 20000;
  for (GlobalIndex i = 0; i < rows.n_rows; ++i) {
    rows.column.push_back(i);
    rows.value.push_back(4);
    rows.offsets.push_back(rows.entries());
  }
  const Numbering numbering{rows.n_rows, 0, static_cast<LocalIndex>(rows.n_rows), {}};
  write_store(self, folder.file("plain.h5"), rows, numbering);
  write_store(self, folder.file("small.h5"), rows, numbering, {.compress = true, .name = ""});
  EXPECT_LT(read_bytes(folder.file("small.h5")).size() * 5, read_bytes(folder.file("plain.h5")).size());
  EXPECT_EQ(difference(read_store<double>(self, folder.file("small.h5")).rows, rows), "");
}

TEST(Store, VirtualRanksCannotWrite) {
  const TemporaryFolder folder(make_self_communicator());
  try {
    run_virtual_cluster(2, [&](CommunicatorPtr comm) {
      const StoreSample sample(small, 2, 15);
      const GlobalIndex begin = sample.ranges[static_cast<std::size_t>(comm->rank())],
                        end = sample.ranges[static_cast<std::size_t>(comm->rank()) + 1];
      write_store(test_context(comm), folder.file("a.h5"), sample.rows<double>(begin, end),
                  sample.numbering(begin, end));
    });
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment) << error.line();
  }
  EXPECT_TRUE(folder.list().empty());
}

TEST(Store, WrongArgumentsAreRefused) {
  const TemporaryFolder folder(make_self_communicator());
  const Context self = test_context(make_self_communicator());
  const std::string path = folder.file("a.h5");
  const StoreSample sample(small, 3, 16);
  const RowBlock<double> rows = sample.rows<double>(0, 40);
  const Numbering numbering = sample.numbering(0, 40);
  const auto kind_of = [&](auto&& write) {
    try {
      write();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  for (const std::vector<GlobalIndex>& ranges :
       std::vector<std::vector<GlobalIndex>>{{}, {0}, {0, 39}, {1, 40}, {0, 30, 20, 40}})
    EXPECT_EQ(kind_of([&] { write_store(self, path, rows, numbering, std::span<const GlobalIndex>(ranges), {}); }),
              ErrorKind::usage);
  for (const StoredVector<double>& vector : std::vector<StoredVector<double>>{
           {"x", 1, std::vector<double>(39)}, {"a/b", 1, std::vector<double>(40)}, {"", 1, std::vector<double>(40)}})
    EXPECT_EQ(kind_of([&] { write_store(self, path, rows, numbering, {}, std::span(&vector, 1)); }),
              ErrorKind::usage);
  Numbering shorter = numbering;
  shorter.original_index.pop_back();
  EXPECT_EQ(kind_of([&] { write_store(self, path, rows, shorter); }), ErrorKind::usage);
  EXPECT_EQ(kind_of([&] { write_dense_store<double>(self, path, 3, 2, std::vector<double>(5)); }), ErrorKind::usage);
  EXPECT_TRUE(folder.list().empty());
}

TEST(Checksum, DoesNotDependOnTheCut) {
  const std::vector<double> values = random_values(0, 1000, 17);
  const std::span<const double> all(values);
  const std::uint64_t whole = checksum(all, 0);
  for (const std::size_t cut : {0u, 1u, 500u, 999u})
    EXPECT_EQ(checksum(all.first(cut), 0) + checksum(all.subspan(cut), cut), whole);
}

TEST(Checksum, SeesSwapsShiftsAndSingleBits) {
  const std::vector<double> values = random_values(0, 100, 18);
  const std::uint64_t whole = checksum(std::span<const double>(values), 0);
  EXPECT_NE(checksum(std::span<const double>(values), 1), whole);
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    std::vector<double> other = values;
    std::swap(other[i], other[i + 1]);
    EXPECT_NE(checksum(std::span<const double>(other), 0), whole);
    other = values;
    for (int bit = 0; bit < 64; ++bit) {
      other[i] = std::bit_cast<double>(std::bit_cast<std::uint64_t>(values[i]) ^ (std::uint64_t{1} << bit));
      EXPECT_NE(checksum(std::span<const double>(other), 0), whole);
    }
  }
}

TEST(Checksum, MixIsSplitMix64) {
  // First outputs of SplitMix64 with seed 0, as in Vigna's splitmix64.c: mix of the multiples of the constant.
  EXPECT_EQ(mix(0x9e3779b97f4a7c15u), 0xe220a8397b1dcdafu);
  EXPECT_EQ(mix(0x9e3779b97f4a7c15u * 2), 0x6e789e6aa1b965f4u);
}

} // namespace
} // namespace atl::test
