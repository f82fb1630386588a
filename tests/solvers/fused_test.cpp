/// Conjugate gradients in one pass over a packed matrix: the same answers, iterations and endings as the plain form.

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/registry.hpp>

#include <gtest/gtest.h>
#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <cmath>

namespace atl {
namespace {

/// Symmetric matrices on a grid with lines of `line` places, five entries a row, of several chunks.
struct Grid {
  GlobalIndex n = 2500, line = 50;
  bool varied = false; ///< conductances that differ by 100 instead of 1
  bool neumann = false;
  double sign = 1, shift = 0;
  int scale = 1; ///< of all values

  /// Of the edge between two places.
  double edge(GlobalIndex i, GlobalIndex j) const {
    const auto hash = static_cast<std::uint64_t>(std::min(i, j) * 7919 + std::max(i, j));
    return varied ? std::pow(10.0, test::Random(hash).uniform(0, 2)) : 1;
  }
  RowBlock<double> rows(GlobalIndex first, GlobalIndex last) const {
    RowBlock<double> block{n, n, first, {0}, {}, {}};
    for (GlobalIndex r = first; r < last; ++r) {
      double sum = 0;
      for (const GlobalIndex step : {-line, GlobalIndex{-1}, GlobalIndex{1}, line}) {
        const GlobalIndex c = r + step;
        const bool inside = c >= 0 && c < n && (std::abs(step) != 1 || c / line == r / line);
        if (inside) {
          block.column.push_back(c);
          block.value.push_back(-sign * scale * edge(r, c));
        }
        if (inside || !neumann) sum += edge(r, c);
      }
      block.column.push_back(r);
      block.value.push_back(sign * scale * (sum - shift));
      block.offsets.push_back(block.entries());
    }
    return block;
  }
};

/// A solution that is not smooth, with zero mean on whole periods.
double exact(GlobalIndex i) {
  return static_cast<double>((i * 37) % 11 - 5) / 3 + std::sin(0.1 * static_cast<double>(i));
}

struct Solved {
  SolveResult result;
  std::vector<double> x;
  std::size_t workspace = 0, vector = 0;
};

/// One matrix, its operator and right-hand side A exact (less its mean for a Neumann problem).
struct Fixture {
  Fixture(const Context& context_in, const Grid& grid, DSparseMatrix<double>::Options options = {})
      : context(context_in) {
    const auto ranges = test::random_ranges(grid.n, context.size(), 5);
    first = ranges[context.rank()];
    last = ranges[context.rank() + 1];
    a = std::make_shared<DSparseMatrix<double>>(
        DSparseMatrix<double>::from_rows(context, grid.rows(first, last), -1, options));
    op = std::make_unique<MatrixOperator<double>>(a);
    b = a->make_row_vector();
    x = a->make_col_vector();
    set_rhs(grid);
  }
  void set_rhs(const Grid& grid) {
    const RowBlock<double> block = grid.rows(first, last);
    std::vector<double> values;
    for (LocalIndex r = 0; r < block.rows(); ++r) {
      double sum = 0;
      for (Offset e = block.offsets[r]; e < block.offsets[r + 1]; ++e) sum += block.value[e] * exact(block.column[e]);
      values.push_back(sum);
    }
    b.set_owned(values);
  }
  Solved solve(Cg<double>& cg, const char* preconditioner, const Stopping& stopping = {.rtol = 1e-10},
               const NullSpace<double>& null_space = {}) {
    const auto m = make_preconditioner<double>(preconditioner);
    m->setup(*a);
    x.fill(0);
    Solved solved;
    solved.result = cg.solve(*op, *m, b, x, stopping, null_space);
    solved.x = test::gather(*context.comm, x.owned_to_host());
    solved.workspace = cg.bytes();
    solved.vector = x.bytes();
    return solved;
  }

  Context context;
  GlobalIndex first = 0, last = 0;
  std::shared_ptr<DSparseMatrix<double>> a;
  std::unique_ptr<MatrixOperator<double>> op;
  DVector<double> b, x;
};

double distance(const std::vector<double>& x, const std::vector<double>& y) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference += (x[i] - y[i]) * (x[i] - y[i]);
    size += y[i] * y[i];
  }
  return std::sqrt(difference / size);
}

std::vector<double> exact_values(const Grid& grid, double mean = 0) {
  std::vector<double> values;
  for (GlobalIndex i = 0; i < grid.n; ++i) values.push_back(exact(i) - mean);
  return values;
}

Solved solve_once(const Context& context, const Grid& grid, const char* preconditioner,
                  DSparseMatrix<double>::Options options = {}) {
  Fixture f(context, grid, options);
  Cg<double> cg;
  const auto space = grid.neumann ? NullSpace<double>::find(*f.a) : NullSpace<double>();
  return f.solve(cg, preconditioner, {.rtol = 1e-10}, space);
}

TEST(FusedCg, GoesTheWayOfThePlainForm) {
  const Grid grids[] = {{},          {.varied = true}, {.sign = -1}, {.varied = true, .sign = -1},
                        {.n = 1024}, {.neumann = true}};
  for (const Grid& grid : grids)
    for (const char* preconditioner : {"none", "jacobi"})
      for (const int ranks : *preconditioner == 'n' ? std::vector{3} : std::vector{1, 2, 8})
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
          SCOPED_TRACE(testing::Message() << preconditioner << ", " << ranks << " ranks, varied " << grid.varied
                                          << ", sign " << grid.sign << ", neumann " << grid.neumann);
          const Solved plain = solve_once(test::test_context(comm, "reference"), grid, preconditioner);
          const Solved fused = solve_once(test::test_context(comm, "host"), grid, preconditioner);
          EXPECT_EQ(plain.result.reason, Reason::converged_relative);
          EXPECT_EQ(fused.result.reason, Reason::converged_relative);
          EXPECT_NEAR(fused.result.iterations, plain.result.iterations, 1);
          EXPECT_GT(fused.result.iterations, 20);
          EXPECT_LE(fused.result.relative_residual(), 1e-10);
          double mean = 0;
          if (grid.neumann)
            for (const double v : exact_values(grid)) mean += v / static_cast<double>(grid.n);
          EXPECT_LE(distance(fused.x, exact_values(grid, mean)), 1e-7);
          EXPECT_LE(distance(fused.x, plain.x), 1e-7);
          if (ranks == 1) { // two vectors instead of five, a projected b apart: it was fused indeed
            EXPECT_LT(2 * fused.workspace, 7 * fused.vector);
            EXPECT_GT(2 * plain.workspace, 9 * plain.vector);
          }
        });
}

TEST(FusedCg, InEveryForm) {
  for (const StorageWish wish : {StorageWish::csr, StorageWish::sell, StorageWish::stencil, StorageWish::block})
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      const Grid grid{.varied = true};
      const Solved least = solve_once(test::test_context(comm, "host"), grid, "jacobi");
      const Solved other = solve_once(test::test_context(comm, "host"), grid, "jacobi", {.storage = wish});
      EXPECT_EQ(other.x, least.x); // the same sums in the same order
      EXPECT_EQ(other.result.iterations, least.result.iterations);
    });
}

TEST(FusedCg, AnyNumberOfThreadsGivesTheSameAnswerToTheBit) {
  const Grid grid{.n = 9120, .line = 30, .varied = true};
  std::vector<double> one;
  for (const int threads : {1, 2, 3, 4}) {
    const Solved solved =
        solve_once(test::test_context(make_self_communicator(), make_host_executor(threads)), grid, "jacobi");
    EXPECT_TRUE(solved.result.converged());
    if (threads == 1) one = solved.x;
    EXPECT_EQ(solved.x, one) << threads;
  }
}

TEST(FusedCg, EndsAsThePlainFormDoes) {
  // The smallest eigenvalue of the grid is about 0.008, the largest 8: shifts by 1 and 6 make it indefinite.
  for (const double shift : {1.0, 6.0})
    for (const char* preconditioner : {"none", "jacobi"})
      for (const int ranks : {1, 4})
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
          const Grid grid{.shift = shift};
          const Solved plain = solve_once(test::test_context(comm, "reference"), grid, preconditioner);
          const Solved fused = solve_once(test::test_context(comm, "host"), grid, preconditioner);
          EXPECT_EQ(fused.result.reason, Reason::failed_indefinite_operator) << shift << preconditioner << ranks;
          EXPECT_EQ(plain.result.reason, fused.result.reason);
          EXPECT_NEAR(fused.result.final_residual, plain.result.final_residual, 1e-3 * plain.result.final_residual);
          for (const double v : fused.x) ASSERT_TRUE(std::isfinite(v));
        });
  // Impossible tolerances and limits.
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    for (const char* executor : {"reference", "host"}) {
      Fixture f(test::test_context(comm, executor), {});
      Cg<double> cg;
      EXPECT_EQ(f.solve(cg, "jacobi", {.rtol = 1e-19}).result.reason, Reason::failed_stagnation) << executor;
      const Solved few = f.solve(cg, "jacobi", {.rtol = 1e-10, .max_iterations = 9});
      EXPECT_EQ(few.result.reason, Reason::stopped_iterations);
      EXPECT_EQ(few.result.iterations, 9);
    }
  });
}

TEST(FusedCg, NewValuesGiveTheAnswerOfANewMatrix) {
  for (const StorageWish wish : {StorageWish::least_bytes, StorageWish::sell, StorageWish::block})
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      const Context context = test::test_context(comm, "host");
      const Grid old_grid, new_grid{.varied = true, .scale = 3};
      Fixture f(context, old_grid, {.keep_positions = true, .storage = wish});
      Cg<double> cg;
      EXPECT_LE(distance(f.solve(cg, "jacobi").x, exact_values(old_grid)), 1e-7);
      const RowBlock<double> rows = new_grid.rows(f.first, f.last);
      f.a->update_values(rows.value);
      f.set_rhs(new_grid);
      const Solved again = f.solve(cg, "jacobi");
      EXPECT_TRUE(again.result.converged());
      EXPECT_EQ(again.x, solve_once(context, new_grid, "jacobi").x);
    });
}

TEST(FusedCg, ASecondSolveAllocatesNothingAndAnotherMatrixIsNotMistaken) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const Context context = test::test_context(comm, make_host_executor(2));
    Fixture one(context, {}), two(context, {.varied = true});
    Cg<double> cg;
    const auto m = make_preconditioner<double>("jacobi");
    m->setup(*one.a);
    const auto solve = [&] {
      one.x.fill(0);
      return cg.solve(*one.op, *m, one.b, one.x, {.rtol = 1e-10});
    };
    const SolveResult first = solve();
    const auto answer = one.x.owned_to_host();
    const auto allocations = context.executor->statistics().allocations;
    const SolveResult second = solve();
    EXPECT_EQ(context.executor->statistics().allocations, allocations);
    EXPECT_EQ(second.iterations, first.iterations);
    EXPECT_EQ(one.x.owned_to_host(), answer);

    EXPECT_LE(distance(two.solve(cg, "jacobi").x, exact_values({})), 1e-7);
    EXPECT_TRUE(solve().converged());
    EXPECT_EQ(one.x.owned_to_host(), answer);
  });
}

TEST(MpiFusedCg, GoesTheWayOfThePlainForm) {
  const Grid grid{.n = 1100, .line = 20};
  const Solved plain = solve_once(test::test_context(test::world(), "reference"), grid, "jacobi");
  const Solved fused = solve_once(test::test_context(test::world(), "host"), grid, "jacobi");
  EXPECT_NEAR(fused.result.iterations, plain.result.iterations, 1);
  EXPECT_LE(distance(fused.x, exact_values(grid)), 1e-7);
}

} // namespace
} // namespace atl
