// Every backend against the reference over random data, sizes on both sides of what is worth a second thread.
#include "random_csr.hpp"

#include <cmath>

namespace atl::test {
namespace {

constexpr Offset sizes[] = {0, 1, 7, 8, 9, 4095, 4097, 8191, 8192, 20011};

class Backends : public testing::TestWithParam<ExecutorCase> {
 protected:
  /// Runs an operation on the tested executor and on the reference; both results.
  template <class T, class Operation>
  std::pair<std::vector<T>, std::vector<T>> both(const std::vector<T>& before, const Operation& operation) {
    auto run = [&](const ExecutorPtr& executor) {
      auto result = put(executor, before);
      operation(executor, executor->kernels<T>(), result.data());
      return result.to_host();
    };
    return {run(tested), run(reference)};
  }

  template <class T>
  void check_vectors(Offset n);
  template <class T>
  void check_pipelined_update(Offset n);
  template <class T>
  void check_products(const HostCsr<T>& a, LocalIndex k);

  ExecutorPtr tested = GetParam().make(), reference = make_reference_executor();
};

template <class T>
void Backends::check_vectors(Offset n) {
  using Scalar = Accumulator<T>;
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << sizeof(T) << " bytes a value");
  const auto x = random_values<T>(n, 1), y = random_values<T>(n, 2);
  const std::vector<Scalar> scalar{static_cast<Scalar>(0.7)}, other{static_cast<Scalar>(-0.3)};
  auto check = [&](const char* what, const auto& operation) {
    const auto [seen, expected] = both<T>(y, operation);
    expect_near(seen, expected, 4, what);
  };
  check("fill", [&](const auto&, auto& kernels, T* out) { kernels.fill(n, T(3), out); });
  check("copy", [&](const auto& e, auto& kernels, T* out) { kernels.copy(n, put(e, x).data(), out); });
  check("scale", [&](const auto& e, auto& kernels, T* out) { kernels.scale(n, put(e, scalar).data(), out); });
  check("axpy",
        [&](const auto& e, auto& kernels, T* out) { kernels.axpy(n, put(e, scalar).data(), put(e, x).data(), out); });
  check("xpby",
        [&](const auto& e, auto& kernels, T* out) { kernels.xpby(n, put(e, x).data(), put(e, scalar).data(), out); });
  check("subtract", [&](const auto& e, auto& kernels, T* out) { kernels.subtract(n, put(e, x).data(), out, out); });
  check("pointwise_multiply",
        [&](const auto& e, auto& kernels, T* out) { kernels.pointwise_multiply(n, put(e, x).data(), out, out); });
  check("pointwise_inverse", [&](const auto& e, auto& kernels, T* out) {
    std::vector<T> d = x;
    for (T& value : d) value = value < 0 ? value - 1 : value > T(0.9) ? T(0) : value + 1; // well off zero, or zero
    kernels.pointwise_inverse(n, put(e, d).data(), out);
  });

  // Four vectors change: look at each.
  const std::vector<T> start[] = {random_values<T>(n, 3), random_values<T>(n, 4), random_values<T>(n, 5),
                                  random_values<T>(n, 6)};
  for (int looked_at = 0; looked_at < 4; ++looked_at) {
    const auto [seen, expected] = both<T>(start[looked_at], [&](const auto& e, auto& kernels, T* out) {
      std::vector<Array<T>> arrays;
      for (const auto& values : start) arrays.push_back(put(e, values));
      T* pointers[4];
      for (int i = 0; i < 4; ++i) pointers[i] = i == looked_at ? out : arrays[static_cast<std::size_t>(i)].data();
      kernels.cg_update(n, put(e, scalar).data(), put(e, other).data(), put(e, x).data(), put(e, y).data(),
                        pointers[0], pointers[1], pointers[2], pointers[3]);
    });
    expect_near(seen, expected, 8, "cg_update");
  }
}

template <class T>
void Backends::check_pipelined_update(Offset n) {
  using Scalar = Accumulator<T>;
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << sizeof(T) << " bytes a value");
  const auto run = [&](const ExecutorPtr& executor) {
    std::vector<Array<T>> v;
    for (unsigned seed = 1; seed <= 10; ++seed) v.push_back(put(executor, random_values<T>(n, seed)));
    const auto alpha = put(executor, std::vector<Scalar>{0.7}), beta = put(executor, std::vector<Scalar>{-0.3});
    Array<Scalar> out(executor, 3), again(executor, 3);
    auto& kernels = executor->kernels<T>();
    kernels.cg_pipelined_update(n, alpha.data(), beta.data(),
                                {v[0].data(), v[1].data(), v[2].data(), v[3].data(), v[4].data(), v[5].data(),
                                 v[6].data(), v[7].data(), v[8].data(), v[9].data()},
                                out.data());
    const DotPair<T> pairs[] = {{v[3].data(), v[3].data()}, {v[3].data(), v[4].data()}, {v[5].data(), v[4].data()}};
    kernels.dots(n, pairs, again.data());
    EXPECT_EQ(out.to_host(), again.to_host()) << "summed as by dots()";
    std::vector<T> all;
    for (const auto& array : v)
      for (const T value : array.to_host()) all.push_back(value);
    return all;
  };
  expect_near(run(tested), run(reference), 8, "cg_pipelined_update");
}

template <class T>
void Backends::check_products(const HostCsr<T>& a, LocalIndex k) {
  SCOPED_TRACE(testing::Message() << a.rows << " x " << a.columns << ", k = " << k << ", " << sizeof(T)
                                  << " bytes a value" << (a.row_index.empty() ? "" : ", shuffled"));
  const Offset rows = Offset{a.rows} * k, columns = Offset{a.columns} * k;
  const auto x = random_values<T>(columns, 7), b = random_values<T>(rows, 8), start = random_values<T>(rows, 9);
  const LocalIndex first = a.rows / 5, last = a.rows - a.rows / 7;
  auto check = [&](const char* what, const std::vector<T>& before, const auto& operation) {
    const auto [seen, expected] = both<T>(before, [&](const auto& executor, auto& kernels, T* out) {
      const auto matrix = a.on(executor);
      operation(executor, kernels, matrix.view(), out);
    });
    expect_near(seen, expected, 64, what); // at most 30 products of numbers below 1
  };
  check("csr_multiply", start, [&](const auto& e, auto& kernels, const auto& view, T* out) {
    kernels.csr_multiply(view, 0, a.rows, k, put(e, x).data(), out);
  });
  check("csr_multiply on some rows", start, [&](const auto& e, auto& kernels, const auto& view, T* out) {
    kernels.csr_multiply(view, first, last, k, put(e, x).data(), out);
  });
  check("csr_multiply_transposed", random_values<T>(columns, 10),
        [&](const auto& e, auto& kernels, const auto& view, T* out) {
          kernels.csr_multiply_transposed(view, k, put(e, b).data(), out);
        });
  if (k != 1) return;
  check("csr_residual", start, [&](const auto& e, auto& kernels, const auto& view, T* out) {
    kernels.csr_residual(view, first, last, put(e, x).data(), put(e, b).data(), out);
  });
  check("csr_diagonal", start,
        [&](const auto&, auto& kernels, const auto& view, T* out) { kernels.csr_diagonal(view, out); });
  check("csr_row_sums", start,
        [&](const auto&, auto& kernels, const auto& view, T* out) { kernels.csr_row_sums(view, out); });
  check("csr_row_abs_sums", start,
        [&](const auto&, auto& kernels, const auto& view, T* out) { kernels.csr_row_abs_sums(view, out); });
}

TEST_P(Backends, VectorKernelsAgreeWithTheReference) {
  for (const Offset n : sizes) {
    check_vectors<double>(n);
    check_vectors<float>(n);
    check_pipelined_update<double>(n);
    check_pipelined_update<float>(n);
  }
}

template <class T>
std::vector<double> dots_on(const ExecutorPtr& executor, Offset n) {
  const auto x = put(executor, random_values<T>(n, 1)), y = put(executor, random_values<T>(n, 2));
  const DotPair<T> pairs[] = {{x.data(), y.data()}, {x.data(), x.data()}, {y.data(), y.data()}, {y.data(), x.data()}};
  Array<double> out(executor, 4);
  executor->kernels<T>().dots(n, pairs, out.data());
  return out.to_host();
}

TEST_P(Backends, DotsAgreeWithTheReference) {
  for (const Offset n : sizes) {
    SCOPED_TRACE(n);
    // The plain sum of the reference rounds n times a number that grows to n / 3; the errors add as if random.
    const double tolerance = static_cast<double>(n) * std::sqrt(static_cast<double>(n));
    expect_near(dots_on<double>(tested, n), dots_on<double>(reference, n), tolerance, "double");
    expect_near(dots_on<float>(tested, n), dots_on<float>(reference, n), tolerance, "float");
  }
}

TEST(HostDots, AreTheSameToTheBitOnAnyNumberOfThreads) {
  for (const Offset n : {Offset{8192}, Offset{100003}, Offset{1000000}}) {
    const auto one = dots_on<double>(make_host_executor(1), n);
    const auto one_float = dots_on<float>(make_host_executor(1), n);
    for (const int threads : {2, 3, 5}) {
      EXPECT_EQ(dots_on<double>(make_host_executor(threads), n), one) << n << " values, " << threads << " threads";
      EXPECT_EQ(dots_on<float>(make_host_executor(threads), n), one_float) << n << ", " << threads;
    }
  }
}

TEST_P(Backends, ProductsAgreeWithTheReference) {
  struct Shape {
    LocalIndex rows, columns;
    int most;
  };
  unsigned seed = 1;
  for (const auto& [rows, columns, most] : {Shape{0, 0, 0}, Shape{3, 0, 0}, Shape{0, 5, 0}, Shape{1, 1, 1},
                                            Shape{50, 37, 12}, Shape{37, 50, 12}, Shape{6000, 6100, 30}})
    for (const bool shuffled : {false, true}) {
      const auto doubles = random_csr<double>(rows, columns, most, shuffled, ++seed);
      const auto floats = random_csr<float>(rows, columns, most, shuffled, seed);
      for (const LocalIndex k : {1, 2, 3, 8, 13}) {
        check_products(doubles, k);
        check_products(floats, k);
      }
    }
}

TEST_P(Backends, HaloKernelsAgreeWithTheReference) {
  for (const LocalIndex k : {1, 3, 8})
    for (const Offset n : {0, 5, 9000}) {
      SCOPED_TRACE(testing::Message() << n << " indices, k = " << k);
      std::mt19937 random(5);
      std::vector<LocalIndex> index(static_cast<std::size_t>(n));
      for (LocalIndex& i : index) i = static_cast<LocalIndex>(random() % 1000);
      const auto x = random_values<double>(1000 * k, 1), buffer = random_values<double>(n * k, 2);
      const auto [gathered, expected] = both<double>(buffer, [&](const auto& e, auto& kernels, double* out) {
        kernels.gather(n, put(e, index).data(), k, put(e, x).data(), out);
      });
      EXPECT_EQ(gathered, expected);
      const auto [summed, expected_sums] = both<double>(x, [&](const auto& e, auto& kernels, double* out) {
        kernels.scatter_add(n, put(e, index).data(), k, put(e, buffer).data(), out);
      });
      EXPECT_EQ(summed, expected_sums);
    }
}

INSTANTIATE_TEST_SUITE_P(All, Backends, testing::ValuesIn(tested_executors()), case_name);

} // namespace
} // namespace atl::test
