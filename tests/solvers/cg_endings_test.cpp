/// Every solve ends with its reason, and "converged" is never said of an answer that is not.

#include "problems.hpp"

#include <atoll/comm/reductions.hpp>
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/registry.hpp>

#include <support/contexts.hpp>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

using test::System;

constexpr CgVariant variants[] = {CgVariant::single_reduction, CgVariant::textbook, CgVariant::pipelined};

double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.3; }
double zero(GlobalIndex) { return 0; }

Context self() { return test::test_context(make_self_communicator()); }

bool all_finite(const std::vector<double>& x) {
  return std::ranges::all_of(x, [](double v) { return std::isfinite(v); });
}

TEST(CgEnding, ZeroRightHandSideIsAnsweredAtOnce) {
  // IterativeSolvers.jl PR#110: 0/0 gave NaN. A nonzero guess must not survive either.
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    for (const CgVariant variant : variants) {
      System<double> s(test::test_context(comm), 20, test::poisson1d(), zero);
      s.x.fill(5);
      const auto result = s.solve("jacobi", variant);
      EXPECT_EQ(result.reason, Reason::converged_exact);
      EXPECT_EQ(result.iterations, 0);
      EXPECT_EQ(result.relative_residual(), 0);
      for (const double v : s.answer()) EXPECT_EQ(v, 0);
    }
  });
}

TEST(CgEnding, ExactStartNeedsNoIteration) {
  const auto rhs = [](GlobalIndex i) { return i == 0 || i == 19 ? 1.0 : 0.0; }; // A ones
  System<double> s(self(), 20, test::poisson1d(), rhs);
  s.x.fill(1);
  const auto result = s.solve();
  EXPECT_EQ(result.reason, Reason::converged_exact);
  EXPECT_EQ(result.iterations, 0);
}

TEST(CgEnding, NoRowsAndOneRow) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    System<double> none(test::test_context(comm), 0, test::poisson1d(), wave);
    EXPECT_EQ(none.solve().reason, Reason::converged_exact);
    System<double> one(test::test_context(comm), 1, test::poisson1d(), [](GlobalIndex) { return 3.0; });
    const auto result = one.solve();
    EXPECT_TRUE(result.converged());
    EXPECT_LE(result.iterations, 1);
    EXPECT_NEAR(one.answer()[0], 1.5, 1e-15);
  });
}

TEST(CgEnding, IndefiniteMatrixIsNamed) {
  // mfem/mfem PR#1391: p'Ap is exactly 0 in the first step; it was compared with a tolerance and taken as
  // converged.
  const auto swap = [](GlobalIndex i, GlobalIndex j) { return i + j == 1 ? 1.0 : 0.0; };
  const auto saddle = [](GlobalIndex i, GlobalIndex j) {
    return i == j ? (i % 2 ? -1.0 : 2.0) + 0.01 * static_cast<double>(i) : 0.0;
  };
  run_virtual_cluster(2, [&](CommunicatorPtr comm) {
    for (const CgVariant variant : variants) {
      System<double> s(test::test_context(comm), 2, swap, [](GlobalIndex i) { return i == 0 ? 1.0 : 0.0; });
      EXPECT_EQ(s.solve("none", variant).reason, Reason::failed_indefinite_operator);
      System<double> t(test::test_context(comm), 30, saddle, wave);
      EXPECT_EQ(t.solve("none", variant).reason, Reason::failed_indefinite_operator);
      EXPECT_TRUE(all_finite(t.answer()));
    }
  });
}

TEST(CgEnding, ConvergedIsOnlySaidOfTheTrueResidual) {
  // scipy/scipy PR#8407, hypre#177: the carried residual falls for ever, the true one does not. Condition
  // 1e13.
  const auto entry = [](GlobalIndex i, GlobalIndex j) {
    const auto d = [](GlobalIndex k) { return std::pow(10.0, -6.5 * static_cast<double>(k) / 59); };
    return test::poisson1d()(i, j) * d(i) * d(j);
  };
  for (const CgVariant variant : variants)
    for (const char* preconditioner : {"none", "jacobi"})
      for (const double rtol : {1e-6, 1e-12, 1e-15, 1e-18}) {
        System<double> s(self(), 60, entry, wave);
        const auto result = s.solve(preconditioner, variant, {.rtol = rtol, .max_iterations = 5000});
        const double truth = s.dense_relative_residual();
        // Rounding of the residual itself: eps ||A|| ||x|| / ||b||.
        const double floor = 1e-16 * s.a->norm_inf() * norm2(s.x) / norm2(s.b) * 8;
        EXPECT_NEAR(result.relative_residual(), truth, 0.01 * truth + floor);
        if (result.converged()) {
          EXPECT_LE(truth, rtol + floor);
        }
        if (rtol <= 1e-18) {
          EXPECT_FALSE(result.converged());
        }
      }
}

TEST(CgEnding, ImpossibleToleranceEndsAsStagnationAfterReplacements) {
  System<double> s(self(), 60, test::poisson1d(), wave);
  const auto result = s.solve("jacobi", CgVariant::single_reduction, {.rtol = 1e-19});
  EXPECT_EQ(result.reason, Reason::failed_stagnation);
  EXPECT_GE(result.residual_replacements, 1);
  EXPECT_LE(s.dense_relative_residual(), 1e-12); // as good as rounding lets it be
}

TEST(CgEnding, LimitsOfIterationsTimeAndInterrupt) {
  for (int ranks : {1, 3})
    run_virtual_cluster(ranks, [](CommunicatorPtr comm) {
      for (const CgVariant variant : variants) {
        System<double> s(test::test_context(comm), 200, test::poisson1d(), wave);
        const auto few = s.solve("none", variant, {.max_iterations = 7});
        EXPECT_EQ(few.reason, Reason::stopped_iterations);
        EXPECT_EQ(few.iterations, 7);
        EXPECT_NEAR(few.relative_residual(), s.dense_relative_residual(), 1e-10);

        const auto late = s.solve("none", variant, {.rtol = 0, .time_limit_seconds = 1e-9});
        EXPECT_EQ(late.reason, Reason::stopped_time);
        EXPECT_LE(late.iterations, 1);

        // One rank alone hears the signal; all leave.
        const std::atomic<int> raised = comm->rank() == comm->size() - 1 ? 15 : 0;
        const auto cut = s.solve("none", variant, {.rtol = 0, .interrupt = &raised});
        EXPECT_EQ(cut.reason, Reason::stopped_interrupt);
        EXPECT_LE(cut.iterations, 1);
      }
    });
}

/// A diagonal of four clusters: residuals of conjugate gradients fall every fourth step and leap in between.
double clusters(GlobalIndex i, GlobalIndex j) {
  return i == j ? 1 + 1e4 * static_cast<double>(i % 4) + 1e-3 * static_cast<double>(i) : 0.0;
}

/// Residual norms of the first iterates, by textbook conjugate gradients on dense matrices.
std::vector<double> dense_history(const System<double>& s, int iterations) {
  const auto n = std::ssize(s.dense_b);
  const Eigen::Map<const Eigen::MatrixXd> a(s.dense_a.data(), n, n);
  const Eigen::Map<const Eigen::VectorXd> b(s.dense_b.data(), n);
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n), r = b, p = b;
  std::vector<double> norms{b.norm()};
  for (int i = 0; i < iterations; ++i) {
    const Eigen::VectorXd w = a * p;
    const double gamma = r.squaredNorm(), alpha = gamma / p.dot(w);
    x += alpha * p;
    r -= alpha * w;
    p = r + r.squaredNorm() / gamma * p;
    norms.push_back((b - a * x).norm());
  }
  return norms;
}

TEST(CgEnding, WithoutConvergenceTheBestIterateIsReturnedWithinAFactorOfTwo) {
  for (const auto& executor : test::executor_names())
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      for (const CgVariant variant : variants) {
        System<double> s(test::test_context(comm, executor), 40, clusters, wave);
        const int most = variant == CgVariant::pipelined ? 15 : 16; // then its carried residual has drifted by leaps
        const std::vector<double> norms = dense_history(s, most);
        int grown = 0;
        for (int last = 0; last <= most; ++last) {
          const double best = *std::min_element(norms.begin(), norms.begin() + last + 1);
          grown += norms[static_cast<std::size_t>(last)] > 4 * best && best < 0.4 * norms[0];
          s.x.fill(0);
          const auto result = s.solve("none", variant, {.rtol = 1e-14, .max_iterations = last});
          EXPECT_EQ(result.reason, Reason::stopped_iterations);
          EXPECT_LE(result.final_residual, 2.001 * best) << "after " << last;
          EXPECT_NEAR(result.relative_residual(), s.dense_relative_residual(), 1e-9);
        }
        EXPECT_GE(grown, 5); // so neither the last iterate nor zero would do
      }
    });
}

TEST(CgEnding, OnlyAResidualThatGrowsCostsAVector) {
  const auto kept_bytes = [](const test::Entry& entry) {
    System<double> s(self(), 40, entry, wave);
    Cg<double> cg;
    const auto m = make_preconditioner<double>("none");
    (void)cg.solve(s.op, *m, s.b, s.x, {.max_iterations = 40});
    return cg.bytes();
  };
  const auto calm = [](GlobalIndex i, GlobalIndex j) { return i == j ? 1.0 + static_cast<double>(i) / 40 : 0.0; };
  EXPECT_EQ(kept_bytes(clusters) - kept_bytes(calm), System<double>(self(), 40, calm, wave).x.bytes());
}

TEST(CgEnding, AbsoluteAndRelativeToleranceAndTheirReference) {
  System<double> s(self(), 60, test::poisson1d(), wave);
  const auto absolute = s.solve("none", CgVariant::single_reduction, {.rtol = 0, .atol = 1e-3});
  EXPECT_EQ(absolute.reason, Reason::converged_absolute);
  EXPECT_LE(absolute.final_residual, 1e-3);

  s.x.fill(1000);
  const auto initial =
      s.solve("none", CgVariant::single_reduction, {.rtol = 1e-3, .against = ReferenceNorm::initial});
  EXPECT_EQ(initial.reason, Reason::converged_relative);
  EXPECT_EQ(initial.reference, initial.initial_residual);
  EXPECT_LE(initial.final_residual, 1e-3 * initial.initial_residual);

  s.x.fill(0);
  const auto given = s.solve("none", CgVariant::single_reduction,
                             {.rtol = 1e-3, .against = ReferenceNorm::given, .reference = 1e-2});
  EXPECT_LE(given.final_residual, 1e-5);
}

TEST(CgEnding, ValuesThatAreNotFiniteEndAtOnceWithAFiniteAnswer) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  run_virtual_cluster(2, [&](CommunicatorPtr comm) {
    for (const CgVariant variant : variants)
      for (const double poison : {nan, inf, 1e308}) {
        System<double> in_b(test::test_context(comm), 20, test::poisson1d(),
                            [&](GlobalIndex i) { return i == 13 ? poison : 1.0; });
        const auto b = in_b.solve("none", variant);
        if (std::isfinite(poison)) {
          EXPECT_FALSE(b.converged() && in_b.dense_relative_residual() > 1e-9);
        } else {
          EXPECT_EQ(b.reason, Reason::failed_nan);
        }
        EXPECT_TRUE(all_finite(in_b.answer()));

        System<double> in_a(
            test::test_context(comm), 20,
            [&](GlobalIndex i, GlobalIndex j) { return i == 13 && j == 13 ? poison : test::poisson1d()(i, j); },
            wave);
        const auto a = in_a.solve("jacobi", variant);
        if (!std::isfinite(poison)) {
          EXPECT_FALSE(a.converged());
        }
        EXPECT_TRUE(all_finite(in_a.answer()));
      }
  });
}

TEST(CgEnding, SquaresBeyondTheRangeOfNumbersAreNamedAsSuch) {
  for (const double scale : {1e-200, 1e200}) {
    System<double> s(self(), 20, test::poisson1d(), [&](GlobalIndex i) { return scale * wave(i); });
    const auto result = s.solve();
    EXPECT_EQ(result.reason, Reason::failed_breakdown);
    EXPECT_NEAR(result.rhs_norm / scale, 4.0, 2.0); // norms themselves are right
    EXPECT_TRUE(all_finite(s.answer()));
  }
}

TEST(CgEnding, RectangularMatricesAreRefused) {
  const Context context = self();
  auto a = std::make_shared<const DSparseMatrix<double>>(
      DSparseMatrix<double>::from_rows(context, {3, 4, 0, {0, 1, 2, 3}, {0, 1, 2}, {1, 1, 1}}, 4));
  MatrixOperator<double> op(a);
  auto x = a->make_col_vector(), b = a->make_row_vector();
  const auto m = make_preconditioner<double>("none");
  EXPECT_THROW((void)Cg<double>().solve(op, *m, b, x, {}), Error);
}

TEST(CgEnding, EveryReasonExplainsItself) {
  for (int r = 0; r <= static_cast<int>(Reason::failed_incompatible); ++r) {
    const auto reason = static_cast<Reason>(r);
    EXPECT_NE(to_string(reason), "unknown");
    EXPECT_NE(explain(reason), "unknown");
    EXPECT_NE(is_converged(reason), is_failure(reason) || to_string(reason).starts_with("stopped"));
  }
}

TEST(MpiCgEnding, OneRanksInterruptStopsAll) {
  const std::atomic<int> raised = test::world()->rank() == 0 ? 2 : 0;
  System<double> s(test::test_context(test::world()), 100, test::poisson1d(), wave);
  EXPECT_EQ(s.solve("none", CgVariant::single_reduction, {.rtol = 0, .interrupt = &raised}).reason,
            Reason::stopped_interrupt);
}

} // namespace
} // namespace atl
