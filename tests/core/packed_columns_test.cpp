// Products with several vectors: each column gets the bits that a plain loop over one vector gives, whatever the form,
// the set of instructions, the number of vectors and of threads. Residuals are summed in double.
#include "packed_rows.hpp"

#include <atoll/core/host/packed_loops.hpp>
#include <atoll/core/kernels.hpp>

#include <cmath>
#include <memory>

namespace atl::test {
namespace {

constexpr LocalIndex most = 17;

template <class T>
std::vector<T> random_vector(Offset n, std::uint64_t seed) {
  const auto values = random_values(0, n, seed);
  return {values.begin(), values.end()};
}

/// The first k of the vectors, interleaved, in exactly as much memory as they take.
template <class T>
std::unique_ptr<T[]> interleave(const std::vector<std::vector<T>>& vectors, LocalIndex k) {
  const std::size_t n = vectors[0].size(), step = static_cast<std::size_t>(k);
  auto all = std::make_unique<T[]>(n * step);
  for (std::size_t c = 0; c < step; ++c)
    for (std::size_t i = 0; i < n; ++i) all[i * step + c] = vectors[c][i];
  return all;
}

/// A matrix, `most` vectors, and their products by a plain loop.
template <class T>
struct Problem {
  std::string name;
  PlainRows<T> rows;
  std::vector<std::vector<T>> x, product;

  Problem(std::string what, PlainRows<T> plain) : name(std::move(what)), rows(std::move(plain)) {
    for (LocalIndex c = 0; c < most; ++c) {
      x.push_back(random_vector<T>(rows.columns, static_cast<std::uint64_t>(c + 1)));
      product.push_back(rows.times(x.back()));
    }
  }
  bool is_product(const T* y, LocalIndex k) const {
    return same_bits(y, interleave(product, k).get(), product[0].size() * static_cast<std::size_t>(k));
  }
};

/// Small matrices that fill all forms: groups of 1 to 4 rows, empty rows, rows in order and permuted, columns and values
/// of all widths.
template <class T>
std::vector<Problem<T>> problems() {
  std::vector<Problem<T>> all;
  const std::pair<const char*, ValueKind> values[] = {{", three values", ValueKind::three},
                                                      {", few values", ValueKind::few},
                                                      {", single values", ValueKind::single},
                                                      {", any values", ValueKind::any}};
  for (const auto& [suffix, kind] : values) {
    const auto add = [&](const char* name, PlainRows<T> pattern) {
      put_values(pattern, kind, all.size());
      all.emplace_back(std::string(name) + suffix, std::move(pattern));
    };
    add("groups", grouped_pattern<T>(301, 1));
    add("random", random_pattern<T>(203, 250, 90, 9, false, false, 2));
    add("random with empty rows", random_pattern<T>(1101, 500, 90, 5, true, true, 3));
    add("wide", random_pattern<T>(50, 70000, 70000, 6, false, false, 4));
  }
  all.emplace_back("2-D Poisson", stencil_rows<T>(37, 30, 1));
  for (const LocalIndex dofs : {2, 3, 4, 5})
    all.emplace_back("3-D with unknowns: " + std::to_string(dofs), stencil_rows<T>(6, 5, 4, dofs));
  return all;
}

/// In all forms.
template <class T>
void check_loops(std::string_view set) {
  const host::PackedLoops<T>* loops = host::packed_loops<T>(set);
  if (!loops) return; // the processor lacks it
  for (const Problem<T>& problem : problems<T>()) {
    std::vector<PackedMatrix<T>> matrices;
    for (const StorageWish wish : all_wishes) matrices.push_back(problem.rows.pack(wish));
    matrices.push_back(problem.rows.pack(StorageWish::sell, true)); // values in full width
    for (LocalIndex k = 1; k <= most; ++k) {
      const auto size = static_cast<std::size_t>(Offset{problem.rows.rows()} * k);
      const auto x = interleave(problem.x, k), expected = interleave(problem.product, k);
      for (std::size_t m = 0; m < matrices.size(); ++m) {
        const PackedMatrix<T>& a = matrices[m];
        // Exactly the rows: an address sanitizer sees what is written outside of them.
        const auto y = std::make_unique<T[]>(size);
        std::fill_n(y.get(), size, T(-7));
        for (std::size_t c = a.chunks().size(); c-- > 0;) // from the last: what is written behind a chunk is seen
          loops->product_columns(a.view(c), k, x.get(), y.get() + Offset{a.chunks()[c].first} * k);
        EXPECT_TRUE(same_bits(y.get(), expected.get(), size))
            << set << ", " << problem.name << ", matrix " << m << ", k = " << k;
      }
    }
  }
}

TEST(PackedColumns, OfEverySetHaveTheBitsOfOneVectorsProduct) {
  for (const std::string_view set : {"baseline", "x86-64-v3", "x86-64-v4"}) {
    check_loops<double>(set);
    check_loops<float>(set);
  }
}

template <class T>
void check_threads() {
  PlainRows<T> pattern = random_pattern<T>(9001, 9001, 500, 6, true, true, 5);
  put_values(pattern, ValueKind::any, 6);
  const Problem<T> problem("", std::move(pattern));
  for (const StorageWish wish : all_wishes) {
    const PackedMatrix<T> a = problem.rows.pack(wish);
    for (const int threads : {1, 2, 3, 4})
      for (const LocalIndex k : {1, 2, 7, 16, 17}) {
        const auto x = interleave(problem.x, k);
        const auto y = std::make_unique<T[]>(static_cast<std::size_t>(Offset{a.rows()} * k));
        make_host_executor(threads)->kernels<T>().packed_multiply(a, k, x.get(), y.get());
        EXPECT_TRUE(problem.is_product(y.get(), k)) << name_of(wish) << ", threads " << threads << ", k = " << k;
      }
  }
}

TEST(PackedColumns, OnAnyNumberOfThreads) {
  check_threads<double>();
  check_threads<float>();
}

TEST(PackedColumns, OfAMatrixWithoutRowsAreNone) {
  const PackedMatrix<double> a = PlainRows<double>{5, {}}.pack(StorageWish::least_bytes);
  const std::vector<double> x(20, 1.0);
  std::vector<double> y(1, -7.0);
  make_host_executor(1)->kernels<double>().packed_multiply(a, 4, x.data(), y.data());
  EXPECT_EQ(y[0], -7.0);
}

// ---- products that are added to the rows named

template <class T>
void check_multiply_add(const ExecutorPtr& executor) {
  PlainRows<T> pattern = random_pattern<T>(3000, 500, 100, 6, true, false, 13);
  put_values(pattern, ValueKind::any, 14);
  const Problem<T> problem("", std::move(pattern));
  std::vector<LocalIndex> every_third;
  for (LocalIndex r = 0; r < 3000; ++r) every_third.push_back(3 * r);
  for (const bool named : {false, true})
    for (LocalIndex k = 1; k <= most; ++k) {
      CsrView<T> view = problem.rows.all.view(500);
      if (named) view.row_index = every_third.data();
      const auto x = interleave(problem.x, k);
      auto y = random_vector<T>(Offset{9000} * k, 2), expected = y;
      executor->kernels<T>().csr_multiply_add(view, T(-0.5), k, x.get(), y.data());
      for (LocalIndex c = 0; c < k; ++c)
        for (LocalIndex r = 0; r < 3000; ++r)
          expected[(named ? 3 * r : r) * k + c] += T(-0.5) * problem.product[c][r];
      EXPECT_TRUE(same_bits(y, expected)) << executor->name() << ", named " << named << ", k = " << k;
    }
}

TEST(PackedColumns, AreAddedToTheRowsNamed) {
  for (const auto& executor : {make_host_executor(1), make_host_executor(3)}) {
    check_multiply_add<double>(executor);
    check_multiply_add<float>(executor);
  }
}

// ---- residuals

/// b is A x rounded to float: what is left is far below the rounding of a sum in float.
void check_residuals(const ExecutorPtr& executor) {
  for (const Problem<float>& problem : problems<float>()) {
    const PlainRows<float>& plain = problem.rows;
    std::vector<double> product(static_cast<std::size_t>(plain.rows()));
    for (LocalIndex r = 0; r < plain.rows(); ++r)
      for (Offset e = plain.all.begin[r]; e < plain.all.begin[r + 1]; ++e)
        product[r] += double{plain.all.value[e]} * double{problem.x[0][plain.all.column[e]]};
    const std::vector<float> b(product.begin(), product.end());
    for (const StorageWish wish : all_wishes) {
      std::vector<float> r(b.size());
      executor->kernels<float>().packed_residual(plain.pack(wish), problem.x[0].data(), b.data(), r.data());
      for (std::size_t i = 0; i < b.size(); ++i) {
        const double exact = b[i] - product[i];
        EXPECT_NEAR(r[i], exact, 1e-7 * std::abs(exact) + 1e-12)
            << executor->name() << ", " << problem.name << ", " << name_of(wish) << ", row " << i;
      }
    }
  }
}

TEST(PackedResidual, OfFloatsIsSummedInDouble) {
  check_residuals(make_reference_executor());
  for (const int threads : {1, 3}) check_residuals(make_host_executor(threads));
}

} // namespace
} // namespace atl::test
