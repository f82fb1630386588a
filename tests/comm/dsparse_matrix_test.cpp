#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/comm/reductions.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace atl {
namespace {

using test::RandomMatrix;

/// A random matrix on random row and column ranges, and its dense copy.
template <class T>
struct Case {
  Case(const Context& context, const RandomMatrix& spec, std::uint64_t seed) : rows(spec.rows), cols(spec.cols) {
    const int p = context.rank();
    const auto row_ranges = test::random_ranges(rows, context.size(), seed);
    const auto col_ranges = test::random_ranges(cols, context.size(), seed + 100);
    auto block = test::random_rows<T>(spec, row_ranges[p], row_ranges[p + 1]);
    dense = test::to_dense(test::gather_rows(*context.comm, block));
    const bool square = rows == cols;
    matrix.emplace(DSparseMatrix<T>::from_rows(context, std::move(block),
                                               square ? GlobalIndex{-1} : col_ranges[p + 1] - col_ranges[p]));
  }
  double at(GlobalIndex i, GlobalIndex j) const { return dense[i * cols + j]; }

  GlobalIndex rows, cols;
  std::vector<double> dense;
  std::optional<DSparseMatrix<T>> matrix;
};

template <class T>
void set_values(DVector<T>& x, std::uint64_t seed) {
  const GlobalIndex first = x.map()->owned_begin() * x.columns();
  const auto values = test::random_values(first, x.owned_size(), seed);
  x.set_owned(std::vector<T>(values.begin(), values.end()));
}

template <class T>
std::vector<double> whole(Communicator& comm, const DVector<T>& x) {
  const auto all = test::gather(comm, x.owned_to_host());
  return {all.begin(), all.end()};
}

template <class T>
void check_products(const Context& context, const RandomMatrix& spec, std::uint64_t seed) {
  Case<T> c(context, spec, seed);
  const double tolerance = std::is_same_v<T, float> ? 2e-5 : 1e-13;
  for (LocalIndex k : {1, 3}) {
    auto x = c.matrix->make_col_vector(k), y = c.matrix->make_row_vector(k);
    set_values(x, seed);
    c.matrix->multiply(x, y);
    const auto all_x = whole(*context.comm, x), all_y = whole(*context.comm, y);
    for (GlobalIndex i = 0; i < c.rows; ++i)
      for (LocalIndex v = 0; v < k; ++v) {
        double sum = 0;
        for (GlobalIndex j = 0; j < c.cols; ++j) sum += c.at(i, j) * all_x[j * k + v];
        EXPECT_NEAR(all_y[i * k + v], sum, tolerance * (1 + std::abs(sum)) * 10);
      }

    set_values(y, seed + 1);
    c.matrix->multiply_transposed(y, x);
    const auto in = whole(*context.comm, y), out = whole(*context.comm, x);
    for (GlobalIndex j = 0; j < c.cols; ++j)
      for (LocalIndex v = 0; v < k; ++v) {
        double sum = 0;
        for (GlobalIndex i = 0; i < c.rows; ++i) sum += c.at(i, j) * in[i * k + v];
        EXPECT_NEAR(out[j * k + v], sum, tolerance * (1 + std::abs(sum)) * 10);
      }
  }
}

template <class T>
void check_figures(const Context& context, const RandomMatrix& spec, std::uint64_t seed) {
  Case<T> c(context, spec, seed);
  const double tolerance = std::is_same_v<T, float> ? 1e-4 : 1e-12;
  double frobenius = 0, inf = 0;
  GlobalIndex stored = 0;
  std::vector<double> sums;
  for (GlobalIndex i = 0; i < c.rows; ++i) {
    double sum = 0, size = 0;
    for (GlobalIndex j = 0; j < c.cols; ++j) {
      sum += c.at(i, j);
      size += std::abs(c.at(i, j));
      frobenius += c.at(i, j) * c.at(i, j);
      stored += c.at(i, j) != 0;
    }
    sums.push_back(sum);
    inf = std::max(inf, size);
  }
  EXPECT_EQ(c.matrix->entries(), stored);
  EXPECT_NEAR(c.matrix->norm_frobenius(), std::sqrt(frobenius), tolerance * (1 + std::sqrt(frobenius)));
  EXPECT_NEAR(c.matrix->norm_inf(), inf, tolerance * (1 + inf));
  const auto row_sums = whole(*context.comm, c.matrix->row_sums());
  for (GlobalIndex i = 0; i < c.rows; ++i) EXPECT_NEAR(row_sums[i], sums[i], tolerance * 10);
  if (c.rows == c.cols) {
    const auto diagonal = whole(*context.comm, c.matrix->diagonal());
    for (GlobalIndex i = 0; i < c.rows; ++i) EXPECT_NEAR(diagonal[i], c.at(i, i), tolerance * 10);
  }
  // Back to rows: the same matrix.
  const auto again = test::to_dense(test::gather_rows(*context.comm, c.matrix->to_rows()));
  EXPECT_EQ(again, c.dense);
}

void check_layout(const Context& context, const RandomMatrix& spec, std::uint64_t seed) {
  Case<double> c(context, spec, seed);
  const auto& local = c.matrix->local();
  const auto begin = local.row_begin.to_host();
  const auto column = local.column.to_host();
  for (LocalIndex s = 0; s < local.rows; ++s) {
    const auto first = column.begin() + begin[s], last = column.begin() + begin[s + 1];
    EXPECT_TRUE(std::is_sorted(first, last));
    const bool boundary = first != last && *(last - 1) >= c.matrix->col_map()->n_owned();
    EXPECT_EQ(boundary, s >= c.matrix->n_interior());
  }
}

const RandomMatrix specs[] = {
    {.rows = 30, .cols = 30, .density = 0.1, .seed = 3},
    {.rows = 12, .cols = 31, .density = 0.2, .seed = 4},
    {.rows = 31, .cols = 9, .density = 0.2, .seed = 5},
    {.rows = 1, .cols = 1, .density = 1, .seed = 6},
    {.rows = 0, .cols = 0, .density = 1, .seed = 7},
    {.rows = 25, .cols = 25, .density = 0.02, .seed = 8, .diagonal = false},
};

TEST(DSparseMatrix, ProductsAgreeWithDenseOnesOnManyRanks) {
  for (const auto& executor : test::executor_names())
    for (const auto& spec : specs)
      for (int ranks : {1, 2, 3, 8})
        for (std::uint64_t seed = 1; seed <= 2; ++seed)
          run_virtual_cluster(ranks,
                              [&](CommunicatorPtr comm) {
                                check_products<double>(test::test_context(comm, executor), spec, seed);
                                check_products<float>(test::test_context(comm, executor), spec, seed);
                              },
                              {.seed = seed});
}

TEST(DSparseMatrix, FiguresAgreeWithDenseOnes) {
  for (const auto& spec : specs)
    for (int ranks : {1, 4, 40})
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        check_figures<double>(test::test_context(comm, "guarded"), spec, 1);
        check_figures<float>(test::test_context(comm, "host"), spec, 2);
        check_layout(test::test_context(comm), spec, 3);
      });
}

TEST(DSparseMatrix, SixtyFourRanks) {
  run_virtual_cluster(64, [](CommunicatorPtr comm) {
    check_products<double>(test::test_context(comm), {.rows = 90, .cols = 90, .density = 0.05, .seed = 9}, 5);
  });
}

TEST(DSparseMatrix, NewValuesInTheCallersOrder) {
  // Unsorted rows with duplicates; a ghost column below and above the owned range.
  for (const auto& executor : test::executor_names())
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      const Context context = test::test_context(comm, executor);
      const GlobalIndex r = comm->rank();
      RowBlock<double> block{3, 3, r, {0, 4}, {2, 0, 2, 1}, {1, 2, 3, 4}};
      auto a = DSparseMatrix<double>::from_rows(context, std::move(block), -1, {.keep_positions = true});
      EXPECT_EQ(a.entries(), 9);
      const auto row = [&] { return test::to_dense(test::gather_rows(*comm, a.to_rows())); };
      EXPECT_EQ(row(), (std::vector<double>{2, 4, 4, 2, 4, 4, 2, 4, 4}));
      const auto allocations = context.executor->statistics().allocations;
      const auto before = traffic(*comm);
      const double values[] = {10, 20, 30, 40};
      a.update_values(values);
      EXPECT_EQ(context.executor->statistics().allocations, allocations);
      EXPECT_EQ(traffic(*comm).messages, before.messages);
      EXPECT_EQ(row(), (std::vector<double>{20, 40, 40, 20, 40, 40, 20, 40, 40}));
      EXPECT_THROW(a.update_values(std::span(values).first(3)), Error);
    });
}

TEST(DSparseMatrix, WrongShapesAreRefusedOnAllRanks) {
  run_virtual_cluster(2, [](CommunicatorPtr comm) {
    const Context context = test::test_context(comm);
    const GlobalIndex r = comm->rank();
    const auto block = [&] { return RowBlock<double>{2, 3, r, {0, 1}, {r}, {1}}; };
    EXPECT_THROW((void)DSparseMatrix<double>::from_rows(context, block()), Error);    // not square
    EXPECT_THROW((void)DSparseMatrix<double>::from_rows(context, block(), 1), Error); // 2 of 3 columns owned
    auto outside = block();
    if (r == 1) outside.column = {3};
    EXPECT_THROW((void)DSparseMatrix<double>::from_rows(context, std::move(outside), r + 1), Error);
    auto overlap = block();
    overlap.row_begin = 0;
    EXPECT_THROW((void)DSparseMatrix<double>::from_rows(context, std::move(overlap), r + 1), Error);

    const auto a = DSparseMatrix<double>::from_rows(context, block(), r + 1);
    auto x = a.make_col_vector(), y = a.make_row_vector(), wide = a.make_row_vector(2);
    EXPECT_THROW(a.multiply(y, x), Error);
    EXPECT_THROW(a.multiply(x, wide), Error);
    a.multiply(x, y);
  });
}

TEST(DSparseMatrix, ResidualIsRightHandSideLessProduct) {
  for (const auto& executor : test::executor_names())
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      const Context context = test::test_context(comm, executor);
      Case<double> c(context, {.rows = 20, .cols = 20, .density = 0.3, .seed = 2}, 1);
      auto x = c.matrix->make_col_vector(), b = c.matrix->make_row_vector(), r = c.matrix->make_row_vector(),
           y = c.matrix->make_row_vector();
      set_values(x, 1);
      set_values(b, 2);
      c.matrix->multiply(x, y);
      c.matrix->residual(x, b, r);
      const auto hb = b.owned_to_host(), hy = y.owned_to_host(), hr = r.owned_to_host();
      for (std::size_t i = 0; i < hr.size(); ++i) EXPECT_NEAR(hr[i], hb[i] - hy[i], 1e-14);
    });
}

TEST(MpiDSparseMatrix, ProductsAndFigures) {
  for (const auto& spec : specs) {
    check_products<double>(test::test_context(test::world(), "host"), spec, 1);
    check_products<float>(test::test_context(test::world(), "guarded"), spec, 2);
    check_figures<double>(test::test_context(test::world()), spec, 3);
  }
}

} // namespace
} // namespace atl
