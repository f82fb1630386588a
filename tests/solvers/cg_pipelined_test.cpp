/// Pipelined conjugate gradients hide their reduction, and reach the accuracy of the other forms.

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/precond/jacobi.hpp>

#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace atl {
namespace {

/// -div(c grad x) = b on a square of n x n cells with zero walls; c is 1 or `jump` on an 8 x 8 board; x is 1.
struct Board {
  GlobalIndex n = 0;
  double jump = 1;

  double c(GlobalIndex i, GlobalIndex j) const {
    const GlobalIndex square = (i * 8 / n) * 8 + j * 8 / n;
    return (square * square + square / 3) % 2 ? jump : 1;
  }
  GlobalIndex rows() const { return n * n; }
  /// entry(column, value) for each of a row's; the diagonal last.
  void for_each(GlobalIndex row, const std::function<void(GlobalIndex, double)>& entry) const {
    const GlobalIndex i = row / n, j = row % n;
    const double here = c(i, j);
    double diagonal = 0;
    for (const auto& [k, l] : {std::pair{i - 1, j}, {i + 1, j}, {i, j - 1}, {i, j + 1}}) {
      const bool wall = k < 0 || l < 0 || k == n || l == n;
      const double weight = wall ? 2 * here : 2 * here * c(k, l) / (here + c(k, l));
      diagonal += weight;
      if (!wall) entry(k * n + l, -weight);
    }
    entry(row, diagonal);
  }
};

template <class T>
struct BoardSystem {
  BoardSystem(const Context& in, const Board& given, std::uint64_t seed = 1) : context(in), board(given) {
    const auto ranges = test::random_ranges(board.rows(), context.size(), seed);
    RowBlock<T> block;
    block.n_rows = block.n_cols = board.rows();
    block.row_begin = ranges[context.rank()];
    std::vector<T> right;
    for (GlobalIndex row = block.row_begin; row < ranges[context.rank() + 1]; ++row) {
      board.for_each(row, [&](GlobalIndex column, double value) {
        block.column.push_back(column);
        block.value.push_back(static_cast<T>(value));
      });
      block.offsets.push_back(std::ssize(block.column));
      right.push_back(rhs(row));
    }
    a = std::make_shared<DSparseMatrix<T>>(DSparseMatrix<T>::from_rows(context, std::move(block)));
    b = a->make_row_vector();
    x = a->make_col_vector();
    b.set_owned(right);
    m.setup(*a);
  }
  /// A times ones, by the formula.
  T rhs(GlobalIndex row) const {
    T sum = 0;
    board.for_each(row, [&](GlobalIndex, double value) { sum += static_cast<T>(value); });
    return sum;
  }

  SolveResult solve(CgVariant variant, const Stopping& stopping) {
    MatrixOperator<T> op(a);
    x.fill(0);
    return Cg<T>(variant).solve(op, m, b, x, stopping);
  }
  /// ||b - A x|| / ||b|| by the formula of the rows, in long double.
  double true_residual() const {
    const auto all = test::gather(*context.comm, x.owned_to_host());
    long double square = 0, square_b = 0;
    for (GlobalIndex row = 0; row < board.rows(); ++row) {
      long double r = rhs(row);
      square_b += r * r;
      board.for_each(row, [&](GlobalIndex column, double value) {
        r -= static_cast<long double>(static_cast<T>(value)) * all[static_cast<std::size_t>(column)];
      });
      square += r * r;
    }
    return static_cast<double>(std::sqrt(square / square_b));
  }

  Context context;
  Board board;
  std::shared_ptr<DSparseMatrix<T>> a;
  DVector<T> b, x;
  Jacobi<T> m;
};

/// Says of each product whether a reduction was under way when it began and when it ended.
class WatchedOperator final : public LinearOperator<double> {
 public:
  explicit WatchedOperator(std::shared_ptr<const DSparseMatrix<double>> a) : inner_(std::move(a)) {}
  const Context& context() const override { return inner_.context(); }
  IndexMapPtr row_map() const override { return inner_.row_map(); }
  IndexMapPtr col_map() const override { return inner_.col_map(); }
  void apply(DVector<double>& x, DVector<double>& y) override {
    const bool before = reductions_under_way(*context().comm) == 1;
    inner_.apply(x, y);
    ++(before && reductions_under_way(*context().comm) == 1 ? beside : alone);
  }
  void residual(DVector<double>& x, const DVector<double>& b, DVector<double>& r) override {
    EXPECT_EQ(reductions_under_way(*context().comm), 0);
    inner_.residual(x, b, r);
  }
  int beside = 0, alone = 0;

 private:
  MatrixOperator<double> inner_;
};

TEST(PipelinedCg, ReductionIsUnderWayFromBeforeTheProductUntilAfterIt) {
  for (const int ranks : {1, 4})
    run_virtual_cluster(ranks, [](CommunicatorPtr comm) {
      BoardSystem<double> s(test::test_context(comm), {.n = 12});
      for (const auto& [variant, expected] :
           {std::pair{CgVariant::pipelined, 15}, {CgVariant::single_reduction, 0}, {CgVariant::textbook, 0}}) {
        WatchedOperator op(s.a);
        s.x.fill(0);
        const auto result = Cg<double>(variant).solve(op, s.m, s.b, s.x, {.rtol = 0, .max_iterations = 14});
        EXPECT_EQ(result.iterations, 14);
        EXPECT_EQ(op.beside, expected); // 14 steps, and the one that was not made
        EXPECT_LE(op.alone, expected ? 1 : 15);
      }
    });
}

TEST(PipelinedCg, RightAnswerForAnyNumberOfRanksAndAnyOrderOfEvents) {
  int iterations = 0;
  for (int ranks = 1; ranks <= 8; ++ranks)
    run_virtual_cluster(ranks,
                        [&](CommunicatorPtr comm) {
                          BoardSystem<double> s(test::test_context(comm), {.n = 15, .jump = 100}, 7);
                          const auto result = s.solve(CgVariant::pipelined, {.rtol = 1e-11});
                          EXPECT_TRUE(result.converged());
                          if (ranks == 1) iterations = result.iterations;
                          EXPECT_NEAR(result.iterations, iterations, 3);
                          for (const double value : s.x.owned_to_host()) EXPECT_NEAR(value, 1, 1e-7);
                        },
                        {.seed = static_cast<std::uint64_t>(ranks)});
}

/// The residual asked for, in at most a fifth more iterations than the textbook form needs.
template <class T>
void check_accuracy(const Context& context, const Board& board, double rtol) {
  BoardSystem<T> s(context, board);
  const auto textbook = s.solve(CgVariant::textbook, {.rtol = rtol});
  EXPECT_TRUE(textbook.converged());
  const auto result = s.solve(CgVariant::pipelined, {.rtol = rtol});
  EXPECT_TRUE(result.converged()) << to_string(result.reason);
  EXPECT_LE(s.true_residual(), 1.1 * rtol);
  EXPECT_LE(result.iterations, 1.2 * textbook.iterations);
}

TEST(PipelinedCg, ReachesTheAccuracyOfTheTextbookForm) {
  // Without replacement the second and the third stagnate: each step multiplies the rounding of what is carried.
  const Context context = test::test_context(make_self_communicator());
  check_accuracy<double>(context, {.n = 72}, 1e-10);
  check_accuracy<double>(context, {.n = 72, .jump = 1e4}, 1e-10);
  check_accuracy<double>(context, {.n = 72, .jump = 1e6}, 1e-10);
  check_accuracy<float>(context, {.n = 60}, 1e-5);
  check_accuracy<float>(context, {.n = 60, .jump = 100}, 1e-5);
}

/// Division by a diagonal of both signs.
class BothSigns final : public Preconditioner<double> {
 public:
  std::string name() const override { return "both signs"; }
  void setup(const DSparseMatrix<double>&) override {}
  void apply(const DVector<double>& r, DVector<double>& z) override {
    auto values = r.owned_to_host();
    for (std::size_t i = 0; i < values.size(); i += 2) values[i] *= -1.5;
    z.set_owned(values);
  }
};

TEST(PipelinedCg, IndefinitePreconditionerIsNamed) {
  run_virtual_cluster(2, [](CommunicatorPtr comm) {
    BoardSystem<double> s(test::test_context(comm), {.n = 10});
    BothSigns m;
    MatrixOperator<double> op(s.a);
    const auto result = Cg<double>(CgVariant::pipelined).solve(op, m, s.b, s.x, {.rtol = 1e-10});
    EXPECT_FALSE(result.converged());
    EXPECT_TRUE(result.reason == Reason::failed_indefinite_preconditioner ||
                result.reason == Reason::failed_indefinite_operator) // of M^-1 A
        << to_string(result.reason);
  });
}

TEST(MpiPipelinedCg, ReachesTheAccuracyOfTheTextbookForm) {
  for (const auto& executor : test::executor_names()) {
    const Context context = test::test_context(test::world(), executor);
    check_accuracy<double>(context, {.n = 24, .jump = 1e4}, 1e-10);
    check_accuracy<float>(context, {.n = 20}, 1e-5);
  }
}

} // namespace
} // namespace atl
