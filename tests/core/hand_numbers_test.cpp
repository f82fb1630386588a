// Every kernel on numbers worked out by hand, on every executor.
#include "executors.hpp"

#include <cmath>
#include <limits>

namespace atl::test {
namespace {

using Vector = std::vector<double>;

class HandNumbers : public testing::TestWithParam<ExecutorCase> {
 protected:
  Array<double> vector(const Vector& values) const { return put(executor, values); }

  ExecutorPtr executor = GetParam().make();
  Kernels<double>& kernels = executor->kernels<double>();
  // 1 2 0
  // 0 0 0
  // 3 0 4
  const HostCsr<double> a{3, 3, {0, 2, 2, 4}, {0, 1, 0, 2}, {1, 2, 3, 4}, {}};
  // The same, its storage rows in the order 2, 0, 1.
  const HostCsr<double> b{3, 3, {0, 2, 4, 4}, {0, 2, 0, 1}, {3, 4, 1, 2}, {2, 0, 1}};
};

TEST_P(HandNumbers, VectorUpdates) {
  const auto two = vector({2}), half = vector({0.5}), x = vector({1, 2, 3});
  auto y = vector({10, 20, 30});
  kernels.axpy(3, two.data(), x.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{12, 24, 36}));
  kernels.xpby(3, x.data(), half.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{7, 14, 21}));
  kernels.scale(3, two.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{14, 28, 42}));
  kernels.subtract(3, y.data(), x.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{13, 26, 39})) << "the result may replace an argument";
  kernels.pointwise_multiply(3, x.data(), y.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{13, 52, 117}));
  kernels.copy(2, x.data(), y.data());
  kernels.fill(1, 7, y.data());
  EXPECT_EQ(y.to_host(), (Vector{7, 2, 117}));
}

TEST_P(HandNumbers, InverseOfWhatHasNoneIsOne) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const auto d = vector({4, -0.5, 0, infinity, std::nan(""), 1e-310});
  Array<double> y(executor, 6);
  kernels.pointwise_inverse(6, d.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{0.25, -2, 1, 1, 1, 1})) << "1 / 1e-310 overflows";
}

TEST_P(HandNumbers, DotsOfOneToFourPairs) {
  const auto x = vector({1, 2, 3}), y = vector({4, 5, 6});
  const DotPair<double> pairs[] = {
      {x.data(), y.data()}, {x.data(), x.data()}, {y.data(), y.data()}, {y.data(), x.data()}};
  const double right[] = {32, 14, 77, 32};
  for (std::size_t n = 1; n <= 4; ++n) {
    auto out = vector({-1, -1, -1, -1});
    kernels.dots(3, std::span(pairs, n), out.data());
    const Vector seen = out.to_host();
    for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(seen[i], i < n ? right[i] : -1) << n << " pairs, dot " << i;
  }
}

TEST_P(HandNumbers, DotsOfNothingAreZero) {
  auto out = vector({-1});
  const DotPair<double> pair{nullptr, nullptr};
  kernels.dots(0, {&pair, 1}, out.data());
  EXPECT_EQ(out.to_host(), Vector{0});
}

TEST_P(HandNumbers, ProductOfAMatrix) {
  const auto x = vector({1, 10, 100});
  for (const auto* host : {&a, &b}) {
    const auto matrix = host->on(executor);
    auto y = vector({-1, -1, -1});
    kernels.csr_multiply(matrix.view(), 0, 3, 1, x.data(), y.data());
    EXPECT_EQ(y.to_host(), (Vector{21, 0, 403}));
  }
}

TEST_P(HandNumbers, ProductOnSomeRowsLeavesTheOthers) {
  const auto x = vector({1, 10, 100});
  const auto plain = a.on(executor), permuted = b.on(executor);
  auto y = vector({-1, -1, -1});
  kernels.csr_multiply(plain.view(), 1, 2, 1, x.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{-1, 0, -1}));
  kernels.csr_multiply(permuted.view(), 0, 1, 1, x.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{-1, 0, 403})) << "storage row 0 is local row 2";
  kernels.csr_multiply(permuted.view(), 3, 3, 1, x.data(), y.data());
  EXPECT_EQ(y.to_host(), (Vector{-1, 0, 403}));
}

TEST_P(HandNumbers, ProductWithTwoVectors) {
  const auto x = vector({1, -1, 10, -10, 100, -100});
  for (const auto* host : {&a, &b}) {
    const auto matrix = host->on(executor);
    Array<double> y(executor, 6);
    kernels.csr_multiply(matrix.view(), 0, 3, 2, x.data(), y.data());
    EXPECT_EQ(y.to_host(), (Vector{21, -21, 0, 0, 403, -403}));
  }
}

TEST_P(HandNumbers, ResidualOfAnAnswer) {
  const auto x = vector({1, 10, 100}), right = vector({21, 5, 400});
  for (const auto* host : {&a, &b}) {
    const auto matrix = host->on(executor);
    Array<double> r(executor, 3);
    kernels.csr_residual(matrix.view(), 0, 3, x.data(), right.data(), r.data());
    EXPECT_EQ(r.to_host(), (Vector{0, 5, -3}));
  }
}

TEST_P(HandNumbers, TransposedProductAdds) {
  const auto x = vector({1, 10, 100});
  for (const auto* host : {&a, &b}) {
    const auto matrix = host->on(executor);
    auto y = vector({0, 1000, 0});
    kernels.csr_multiply_transposed(matrix.view(), 1, x.data(), y.data());
    EXPECT_EQ(y.to_host(), (Vector{301, 1002, 400}));
  }
}

TEST_P(HandNumbers, DiagonalAndRowSums) {
  const HostCsr<double> host{3, 4, {0, 2, 3, 6}, {0, 3, 2, 0, 2, 3}, {5, -1, 7, -2, 6, -3}, {}};
  const auto matrix = host.on(executor);
  Array<double> d(executor, 3);
  kernels.csr_diagonal(matrix.view(), d.data());
  EXPECT_EQ(d.to_host(), (Vector{5, 0, 6}));
  kernels.csr_row_sums(matrix.view(), d.data());
  EXPECT_EQ(d.to_host(), (Vector{4, 7, 1}));
  kernels.csr_row_abs_sums(matrix.view(), d.data());
  EXPECT_EQ(d.to_host(), (Vector{6, 7, 11}));
  const auto permuted = b.on(executor);
  kernels.csr_diagonal(permuted.view(), d.data());
  EXPECT_EQ(d.to_host(), (Vector{1, 0, 4}));
}

TEST_P(HandNumbers, GatherAndScatter) {
  const auto index = put(executor, std::vector<LocalIndex>{2, 0, 2});
  auto x = vector({1, 2, 3, 4, 5, 6});
  Array<double> buffer(executor, 6);
  kernels.gather(3, index.data(), 2, x.data(), buffer.data());
  EXPECT_EQ(buffer.to_host(), (Vector{5, 6, 1, 2, 5, 6}));
  kernels.scatter_add(3, index.data(), 2, buffer.data(), x.data());
  EXPECT_EQ(x.to_host(), (Vector{2, 4, 3, 4, 15, 18})) << "index 2 occurs twice";
}

TEST_P(HandNumbers, StepOfConjugateGradients) {
  const auto alpha = vector({2}), beta = vector({10}), u = vector({1}), w = vector({2});
  auto p = vector({3}), s = vector({4}), x = vector({5}), r = vector({100});
  kernels.cg_update(1, alpha.data(), beta.data(), u.data(), w.data(), p.data(), s.data(), x.data(), r.data());
  EXPECT_EQ(p.to_host(), Vector{31});
  EXPECT_EQ(s.to_host(), Vector{42});
  EXPECT_EQ(x.to_host(), Vector{67});
  EXPECT_EQ(r.to_host(), Vector{16});
}

TEST_P(HandNumbers, PipelinedStepOfConjugateGradients) {
  const auto alpha = vector({2}), beta = vector({10}), m = vector({1, 0}), n = vector({2, 0});
  auto x = vector({5, 1}), r = vector({100, 1}), u = vector({3, 1}), w = vector({4, 2});
  auto p = vector({1, 0}), s = vector({2, 0}), q = vector({3, 0}), z = vector({4, 0}), out = vector({-1, -1, -1, 7});
  kernels.cg_pipelined_update(
      2, alpha.data(), beta.data(),
      {m.data(), n.data(), x.data(), r.data(), u.data(), w.data(), p.data(), s.data(), q.data(), z.data()},
      out.data());
  EXPECT_EQ(z.to_host(), (Vector{42, 0}));
  EXPECT_EQ(q.to_host(), (Vector{31, 0}));
  EXPECT_EQ(s.to_host(), (Vector{24, 2}));
  EXPECT_EQ(p.to_host(), (Vector{13, 1}));
  EXPECT_EQ(x.to_host(), (Vector{31, 3}));
  EXPECT_EQ(r.to_host(), (Vector{52, -3}));
  EXPECT_EQ(u.to_host(), (Vector{-59, 1}));
  EXPECT_EQ(w.to_host(), (Vector{-80, 2}));
  EXPECT_EQ(out.to_host(), (Vector{52 * 52 + 9, -52 * 59 - 3, 80 * 59 + 2, 7}));
}

struct ScalarsCase {
  const char* what;
  Vector dots, state, alpha, beta, curvature, state_after;
};

TEST_P(HandNumbers, ScalarsOfConjugateGradients) {
  const double nan = std::nan("");
  const ScalarsCase cases[] = {
      {"first step", {6, 3}, {0, 0}, {2}, {0}, {3}, {6, 2}},
      // beta = 3/6, p'Ap = 4 - 0.5 * 3 / 2 = 3.25
      {"next step", {3, 4}, {6, 2}, {3 / 3.25}, {0.5}, {3.25}, {3, 3 / 3.25}},
      {"negative curvature", {6, -3}, {0, 0}, {-2}, {0}, {-3}, {6, -2}},
      {"no curvature", {6, 0}, {0, 0}, {0}, {0}, {0}, {6, 0}},
      {"exact answer", {0, 0}, {6, 2}, {0}, {0}, {0}, {0, 0}},
      {"not a number", {6, nan}, {3, 1}, {0}, {0}, {0}, {6, 0}},
  };
  for (const ScalarsCase& c : cases) {
    SCOPED_TRACE(c.what);
    const auto dots = vector(c.dots);
    auto state = vector(c.state);
    Array<double> alpha(executor, 1), beta(executor, 1), curvature(executor, 1);
    kernels.cg_scalars(dots.data(), state.data(), alpha.data(), beta.data(), curvature.data());
    EXPECT_EQ(alpha.to_host(), c.alpha);
    EXPECT_EQ(beta.to_host(), c.beta);
    EXPECT_EQ(curvature.to_host(), c.curvature);
    EXPECT_EQ(state.to_host(), c.state_after);
  }
}

TEST_P(HandNumbers, Quotients) {
  const auto six = vector({6}), four = vector({4}), zero = vector({0});
  Array<double> out(executor, 2);
  kernels.quotient(six.data(), four.data(), out.data());
  EXPECT_EQ(out.to_host(), (Vector{1.5, -1.5}));
  kernels.quotient(six.data(), zero.data(), out.data());
  EXPECT_EQ(out.to_host(), (Vector{0, 0}));
}

TEST_P(HandNumbers, FloatDotsAreCarriedInDouble) {
  // In float, 1e8 + 1 is 1e8: the small products would be lost.
  const auto x = put(executor, std::vector<float>{1e4f, 1, -1e4f}),
             y = put(executor, std::vector<float>{1e4f, 1, 1e4f});
  Array<double> out(executor, 1);
  const DotPair<float> pair{x.data(), y.data()};
  executor->kernels<float>().dots(3, {&pair, 1}, out.data());
  EXPECT_EQ(out.to_host(), Vector{1});
}

INSTANTIATE_TEST_SUITE_P(All, HandNumbers, testing::ValuesIn(all_executors()), case_name);

} // namespace
} // namespace atl::test
