// Packed rows on many ranks: the rows come back, products are right, and new values go to their entries, in every form.
#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/comm/row_reader.hpp>
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/core/kernels.hpp>

#include <gtest/gtest.h>
#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <algorithm>
#include <map>

namespace atl {
namespace {

constexpr StorageWish wishes[] = {StorageWish::least_bytes, StorageWish::csr, StorageWish::sell, StorageWish::stencil,
                                  StorageWish::block};

/// Entries by place, duplicates summed in the order given.
using Entries = std::map<std::pair<GlobalIndex, GlobalIndex>, double>;

enum class Kind { random, grid, groups, square_of_nothing };

/// The pattern of one row; with `duplicates` in any order and some of them twice.
std::vector<GlobalIndex> row_columns(Kind kind, GlobalIndex row, GlobalIndex n, bool duplicates) {
  test::Random random(static_cast<std::uint64_t>(kind == Kind::groups ? row / 3 : row) + 11);
  std::vector<GlobalIndex> columns;
  switch (kind) {
  case Kind::random:
    for (auto e = random.below(7); e > 0; --e) columns.push_back(random.below(n));
    break;
  case Kind::grid: // 5 points on a grid with lines of 20
    for (const GlobalIndex step : {-20, -1, 0, 1, 20})
      if (row + step >= 0 && row + step < n) columns.push_back(row + step);
    break;
  case Kind::groups:
    for (auto e = random.below(6); e > 0; --e) columns.push_back(random.below(n));
    break;
  case Kind::square_of_nothing:
    break;
  }
  if (!duplicates) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  } else if (!columns.empty()) {
    columns.push_back(columns[columns.size() / 2]);
    std::reverse(columns.begin(), columns.end());
  }
  return columns;
}

RowBlock<double> make_block(Kind kind, GlobalIndex n, bool duplicates, GlobalIndex first, GlobalIndex last) {
  RowBlock<double> block{n, n, first, {0}, {}, {}};
  for (GlobalIndex r = first; r < last; ++r) {
    for (const GlobalIndex c : row_columns(kind, r, n, duplicates)) {
      block.column.push_back(c);
      block.value.push_back(kind == Kind::grid ? (c == r ? 4.0 : -1.0) : static_cast<double>(1 + (r * 31 + c) % 97));
    }
    block.offsets.push_back(block.entries());
  }
  return block;
}

Entries entries_of(const RowBlock<double>& block) {
  Entries entries;
  for (LocalIndex r = 0; r < block.rows(); ++r)
    for (Offset e = block.offsets[r]; e < block.offsets[r + 1]; ++e)
      entries[{block.row_begin + r, block.column[e]}] += block.value[e];
  return entries;
}

/// The rows of this rank are those entries: by to_rows(), by a RowReader, and by a product.
void expect_matrix(const DSparseMatrix<double>& a, const Entries& expected) {
  EXPECT_EQ(entries_of(a.to_rows()), expected);
  EXPECT_EQ(a.to_rows().entries(), std::ssize(expected));

  Entries read;
  LocalIndex rows = 0;
  RowReader<double>(a).for_rows(
      [&](LocalIndex r, std::span<const LocalIndex> columns, std::span<const double> values) {
        EXPECT_EQ(r, rows++);
        EXPECT_TRUE(std::ranges::is_sorted(columns)); // owned, then ghosts
        for (std::size_t k = 0; k < columns.size(); ++k)
          read[{a.row_map()->to_global(r), a.col_map()->to_global(columns[k])}] = values[k];
      });
  EXPECT_EQ(rows, a.row_map()->n_owned());
  EXPECT_EQ(read, expected);

  // Whole numbers: sums are exact in any order.
  const auto x_at = [](GlobalIndex i) { return static_cast<double>(i % 13 - 6); };
  auto x = a.make_col_vector(), y = a.make_row_vector(), b = a.make_row_vector(), r = a.make_row_vector();
  std::vector<double> mine;
  for (GlobalIndex i = a.col_map()->owned_begin(); i < a.col_map()->owned_end(); ++i) mine.push_back(x_at(i));
  x.set_owned(mine);
  b.fill(5);
  a.multiply(x, y);
  a.residual(x, b, r);
  std::vector<double> product(static_cast<std::size_t>(a.row_map()->n_owned()));
  for (const auto& [place, value] : expected)
    product[static_cast<std::size_t>(place.first - a.row_map()->owned_begin())] += value * x_at(place.second);
  EXPECT_EQ(y.owned_to_host(), product);
  for (double& v : product) v = 5 - v;
  EXPECT_EQ(r.owned_to_host(), product);
}

void check(const CommunicatorPtr& comm, const ExecutorPtr& executor, Kind kind, GlobalIndex n, bool duplicates,
           StorageWish wish, bool keep) {
  const Context context = test::test_context(comm, executor);
  const auto ranges = test::random_ranges(n, comm->size(), 3);
  const GlobalIndex first = ranges[comm->rank()], last = ranges[comm->rank() + 1];
  RowBlock<double> block = make_block(kind, n, duplicates, first, last);
  auto a = DSparseMatrix<double>::from_rows(context, make_block(kind, n, duplicates, first, last), -1,
                                            {.keep_positions = keep, .storage = wish});
  EXPECT_EQ(a.packed(), executor->kernels<double>().packs());
  expect_matrix(a, entries_of(block));
  if (!keep) {
    if (block.entries() > 0) {
      EXPECT_THROW(a.update_values(block.value), Error);
    }
    return;
  }
  for (int round = 1; round <= 2; ++round) {
    for (Offset e = 0; e < block.entries(); ++e)
      block.value[static_cast<std::size_t>(e)] = static_cast<double>((e * 7 + round * 3) % 1001 - 500);
    a.update_values(block.value);
    expect_matrix(a, entries_of(block));
  }
}

TEST(PackedUpdate, RowsProductsAndNewValuesOnManyRanks) {
  for (const Kind kind : {Kind::random, Kind::grid, Kind::groups, Kind::square_of_nothing})
    for (const StorageWish wish : wishes)
      for (const bool keep : {false, true})
        for (const int ranks : {1, 3, 7})
          run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
            SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", wish "
                                            << static_cast<int>(wish) << ", keep " << keep << ", ranks " << ranks);
            check(comm, make_host_executor(1), kind, 320, kind != Kind::grid, wish, keep);
          });
}

TEST(PackedUpdate, ManyChunksAndThreads) {
  for (const StorageWish wish : wishes)
    for (const Kind kind : {Kind::random, Kind::grid, Kind::groups})
      run_virtual_cluster(2, [&](CommunicatorPtr comm) {
        SCOPED_TRACE(testing::Message() << "kind " << static_cast<int>(kind) << ", wish " << static_cast<int>(wish));
        check(comm, make_host_executor(2), kind, 5003, true, wish, true);
      });
}

TEST(PackedUpdate, OtherExecutorsDoNotPack) {
  for (const char* name : {"reference", "guarded"})
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      check(comm, test::make_executor(name), Kind::random, 320, true, StorageWish::sell, true);
    });
}

TEST(PackedUpdate, TheWishDecidesTheForm) {
  const auto form = [](Kind kind, StorageWish wish, bool keep) {
    const Context context = test::test_context(make_self_communicator(), "host");
    const auto a = DSparseMatrix<double>::from_rows(context, make_block(kind, 4000, false, 0, 4000), -1,
                                                    {.keep_positions = keep, .storage = wish});
    return a.split().owned.chunks()[1].form;
  };
  EXPECT_EQ(form(Kind::grid, StorageWish::least_bytes, false), StorageForm::stencil);
  EXPECT_NE(form(Kind::grid, StorageWish::least_bytes, true), StorageForm::stencil);
  EXPECT_EQ(form(Kind::grid, StorageWish::csr, false), StorageForm::csr);
  EXPECT_EQ(form(Kind::random, StorageWish::least_bytes, false), StorageForm::sell);
  EXPECT_EQ(form(Kind::groups, StorageWish::least_bytes, true), StorageForm::block);
  EXPECT_EQ(form(Kind::random, StorageWish::stencil, false), StorageForm::stencil);
}

TEST(PackedUpdate, RectangularMatrices) {
  run_virtual_cluster(4, [](CommunicatorPtr comm) {
    for (const StorageWish wish : wishes) {
      // Row r holds columns 2 r and 2 r + 1 of 40, columns owned unevenly.
      RowBlock<double> block{20, 40, 5 * comm->rank(), {0}, {}, {}};
      for (GlobalIndex r = block.row_begin; r < 5 * comm->rank() + 5; ++r) {
        block.column.insert(block.column.end(), {2 * r, 2 * r + 1});
        block.value.insert(block.value.end(), {static_cast<double>(r), 1.0});
        block.offsets.push_back(block.entries());
      }
      const Entries expected = entries_of(block);
      const GlobalIndex owned[] = {0, 17, 3, 20};
      expect_matrix(DSparseMatrix<double>::from_rows(test::test_context(comm, "host"), std::move(block),
                                                     owned[comm->rank()], {.storage = wish}),
                    expected);
    }
  });
}

} // namespace
} // namespace atl
