/// Conjugate gradients give right answers: against Eigen's direct solver, theory, and counted communication.

#include "problems.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/precond/jacobi.hpp>

#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atl {
namespace {

using test::System;

constexpr CgVariant variants[] = {CgVariant::single_reduction, CgVariant::textbook, CgVariant::pipelined};

/// A random symmetric positive definite matrix by formula.
test::Entry random_spd(GlobalIndex n, std::uint64_t seed) {
  const test::RandomMatrix spec{.rows = n, .cols = n, .density = 0.15, .seed = seed, .spd = true};
  const auto rows = std::make_shared<RowBlock<double>>(test::random_rows<double>(spec, 0, n));
  return [rows](GlobalIndex i, GlobalIndex j) {
    for (Offset e = rows->offsets[i]; e < rows->offsets[i + 1]; ++e)
      if (rows->column[e] == j) return rows->value[e];
    return 0.0;
  };
}

double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.3; }

void check_random_spd(const Context& context, GlobalIndex n, std::uint64_t seed) {
  for (const CgVariant variant : variants)
    for (const char* preconditioner : {"none", "jacobi"}) {
      System<double> s(context, n, random_spd(n, seed), wave, seed);
      const auto result = s.solve(preconditioner, variant, {.rtol = 1e-12});
      EXPECT_EQ(result.reason, Reason::converged_relative);
      EXPECT_LE(result.relative_residual(), 1e-12);
      EXPECT_LE(s.dense_relative_residual(), 1.01e-12 + 1e-15 * static_cast<double>(n));
      EXPECT_LE(test::relative_distance(s.answer(), test::dense_solve(s.dense_a, s.dense_b)), 1e-10);
    }
}

TEST(Cg, AgreesWithADirectSolverOnManyRanksAndExecutors) {
  for (const auto& executor : test::executor_names())
    for (int ranks : {1, 2, 3, 5, 8})
      run_virtual_cluster(ranks,
                          [&](CommunicatorPtr comm) { check_random_spd(test::test_context(comm, executor), 40, 3); },
                          {.seed = static_cast<std::uint64_t>(ranks)});
}

TEST(Cg, SixtyFourRanksSomeOfThemEmpty) {
  run_virtual_cluster(64, [](CommunicatorPtr comm) { check_random_spd(test::test_context(comm), 50, 4); });
}

TEST(Cg, FloatReachesWhatFloatCan) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    System<float> s(test::test_context(comm), 40, random_spd(40, 6), wave);
    const auto result = s.solve("jacobi", CgVariant::single_reduction, {.rtol = 1e-5});
    EXPECT_TRUE(result.converged());
    EXPECT_LE(test::relative_distance(s.answer(), test::dense_solve(s.dense_a, s.dense_b)), 1e-3);
  });
}

TEST(Cg, KnownSolutionOfPoissonsEquation) {
  // tridiag(-1, 2, -1) x = b with b = lambda_k v_k has x = v_k: one iteration, whatever the ranks.
  constexpr GlobalIndex n = 50;
  const auto v = [](GlobalIndex i) { return std::sin(3 * std::numbers::pi * static_cast<double>(i + 1) / (n + 1)); };
  const double lambda = 2 - 2 * std::cos(3 * std::numbers::pi / (n + 1));
  for (int ranks : {1, 4})
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      System<double> s(test::test_context(comm), n, test::poisson1d(), [&](GlobalIndex i) { return lambda * v(i); });
      const auto result = s.solve("none");
      EXPECT_TRUE(result.converged());
      EXPECT_EQ(result.iterations, 1);
      const auto x = s.answer();
      for (GlobalIndex i = 0; i < n; ++i) EXPECT_NEAR(x[i], v(i), 1e-9);
    });
}

TEST(Cg, AtMostAsManyIterationsAsDistinctEigenvalues) {
  // ddemidov/amgcl#93: a diagonal matrix. 17 values, so 17 iterations; 1 with Jacobi.
  const auto diagonal = [](GlobalIndex i, GlobalIndex j) { return i == j ? 1.0 + static_cast<double>(i % 17) : 0.0; };
  run_virtual_cluster(4, [&](CommunicatorPtr comm) {
    for (const CgVariant variant : variants) {
      System<double> s(test::test_context(comm), 60, diagonal, wave);
      const auto plain = s.solve("none", variant);
      EXPECT_TRUE(plain.converged());
      EXPECT_LE(plain.iterations, 17);
      s.x.fill(0);
      const auto jacobi = s.solve("jacobi", variant);
      EXPECT_TRUE(jacobi.converged());
      EXPECT_EQ(jacobi.iterations, 1);
    }
  });
}

TEST(Cg, NegativeDefiniteMatricesAreSolvedAsTheyCome) {
  const auto entry = [](GlobalIndex i, GlobalIndex j) { return -test::poisson1d()(i, j); };
  for (const CgVariant variant : variants)
    for (const char* preconditioner : {"none", "jacobi"}) {
      System<double> s(test::test_context(make_self_communicator()), 30, entry, wave);
      EXPECT_TRUE(s.solve(preconditioner, variant).converged());
      EXPECT_LE(test::relative_distance(s.answer(), test::dense_solve(s.dense_a, s.dense_b)), 1e-8);
    }
}

TEST(Cg, IterationsDoNotDependOnTheScaleOfMatrixOrRightHandSide) {
  // svMultiPhysics#365, AMGX#361: absolute thresholds called healthy systems singular. scipy/scipy#7624: one
  // combined tolerance made tiny right-hand sides "converge" at once.
  const Context context = test::test_context(make_self_communicator());
  System<double> plain(context, 60, test::poisson1d(), wave);
  const auto expected = plain.solve();
  ASSERT_TRUE(expected.converged());
  for (const double scale : {1e-18, 1e-100, 1e100}) {
    System<double> a(
        context, 60, [&](auto i, auto j) { return scale * test::poisson1d()(i, j); }, wave);
    const auto scaled_a = a.solve();
    EXPECT_TRUE(scaled_a.converged());
    EXPECT_NEAR(scaled_a.iterations, expected.iterations, 1);
    System<double> b(context, 60, test::poisson1d(), [&](GlobalIndex i) { return scale * wave(i); });
    const auto scaled_b = b.solve();
    EXPECT_TRUE(scaled_b.converged());
    EXPECT_NEAR(scaled_b.iterations, expected.iterations, 1);
    const auto x = b.answer(), reference = plain.answer();
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i] / scale, reference[i], 1e-6 * std::abs(reference[i]));
  }
}

/// All-reduces of one solve of `iterations` iterations, set-up of channels apart.
std::int64_t reductions_of_solve(CgVariant variant, int iterations) {
  std::int64_t counted = 0;
  run_virtual_cluster(4,
                      [&](CommunicatorPtr comm) {
                        System<double> s(test::test_context(comm), 100, test::poisson1d(), wave);
                        (void)s.solve("jacobi", variant, {.max_iterations = 2});
                        s.x.fill(0);
                        comm->barrier();
                        const auto before = traffic(*comm).reductions;
                        comm->barrier();
                        const auto result = s.solve("jacobi", variant, {.rtol = 0, .max_iterations = iterations});
                        EXPECT_EQ(result.iterations, iterations);
                        comm->barrier();
                        if (comm->rank() == 0) counted = traffic(*comm).reductions - before;
                        comm->barrier();
                      },
                      {.check_collectives = false});
  return counted;
}

TEST(Cg, OneReductionAnIterationOrTwoInTheTextbookForm) {
  for (const CgVariant variant : {CgVariant::single_reduction, CgVariant::pipelined})
    EXPECT_EQ(reductions_of_solve(variant, 60) - reductions_of_solve(variant, 20), 40);
  EXPECT_EQ(reductions_of_solve(CgVariant::textbook, 30) - reductions_of_solve(CgVariant::textbook, 20), 20);
}

TEST(Cg, SecondSolveAllocatesNothingAndRepeatsTheFirstToTheBit) {
  // mfem/mfem#725: the first solve ran on uninitialised data.
  for (const auto& name : test::executor_names())
    run_virtual_cluster(3, [&](CommunicatorPtr comm) {
      const Context context = test::test_context(comm, name);
      for (const CgVariant variant : variants) {
        System<double> s(context, 60, test::poisson1d(), wave);
        const auto m = std::make_unique<Jacobi<double>>();
        m->setup(*s.a);
        Cg<double> cg(variant);
        const auto first = cg.solve(s.op, *m, s.b, s.x, {});
        const auto x = s.answer();
        s.x.fill(0);
        const auto allocations = context.executor->statistics().allocations;
        const auto second = cg.solve(s.op, *m, s.b, s.x, {});
        EXPECT_EQ(context.executor->statistics().allocations, allocations);
        EXPECT_EQ(first.iterations, second.iterations);
        EXPECT_EQ(first.final_residual, second.final_residual);
        EXPECT_EQ(x, s.answer());
      }
    });
}

TEST(Cg, DeviceSolvesCrossTheMemoryBorderAFixedNumberOfTimesAnIteration) {
  const auto copies = [](int iterations) {
    const Context context = test::test_context(make_self_communicator(), "guarded");
    System<double> s(context, 100, test::poisson1d(), wave);
    const auto before = context.executor->statistics().copies_to_host;
    (void)s.solve("jacobi", CgVariant::single_reduction, {.rtol = 0, .max_iterations = iterations});
    return context.executor->statistics().copies_to_host - before;
  };
  EXPECT_EQ(copies(40) - copies(20), 2 * (copies(30) - copies(20)));
  EXPECT_LE(copies(30) - copies(20), 20u); // the sums, and the scalars made of them
}

TEST(MpiCg, AgreesWithADirectSolver) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    for (const auto& executor : test::executor_names())
      check_random_spd(test::test_context(test::world(), executor), 40, seed);
}

} // namespace
} // namespace atl
