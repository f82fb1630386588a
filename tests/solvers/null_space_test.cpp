#include "problems.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/components.hpp>

#include <support/contexts.hpp>
#include <support/gather.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace atl {
namespace {

using test::System;

double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.3; }

/// Pure Neumann chains: the answer of least norm is that of zero mean on every chain.
void check_chains(const Context& context, GlobalIndex n, GlobalIndex chains, std::uint64_t seed) {
  System<double> s(context, n, test::neumann_chains(n, chains), wave, seed);
  const auto space = NullSpace<double>::find(*s.a);
  EXPECT_EQ(space.dimension(), chains);
  s.x.fill(7); // a start with a large part in the null space
  for (const CgVariant variant : {CgVariant::single_reduction, CgVariant::textbook, CgVariant::pipelined}) {
    const auto result = s.solve("jacobi", variant, {.rtol = 1e-10}, space);
    EXPECT_TRUE(result.converged());
    EXPECT_LE(test::relative_distance(s.answer(), test::least_norm_solve(s.dense_a, s.dense_b)), 1e-7);
    // What was removed is the mean of b on every chain.
    double removed = 0;
    for (GlobalIndex c = 0; c < chains; ++c) {
      double sum = 0, count = 0;
      for (GlobalIndex i = c; i < n; i += chains, ++count) sum += wave(i);
      removed += sum * sum / count;
    }
    EXPECT_NEAR(result.incompatible, std::sqrt(removed), 1e-12);
  }
}

TEST(NullSpace, OneVectorAFloatingComponentOnManyRanks) {
  for (const auto& executor : test::executor_names())
    for (int ranks : {1, 2, 3, 8})
      for (GlobalIndex chains : {1, 2, 5})
        run_virtual_cluster(ranks,
                            [&](CommunicatorPtr comm) {
                              check_chains(test::test_context(comm, executor), 40, chains,
                                           static_cast<std::uint64_t>(ranks));
                            },
                            {.seed = 2});
}

TEST(NullSpace, ComponentsInsideRanksAndAcrossThem) {
  // Blocks of 3 rows, a chain each: some lie inside one rank, some are cut; every third block is pinned.
  constexpr GlobalIndex n = 45;
  const auto blocks = [](GlobalIndex i, GlobalIndex j) {
    if (i / 3 != j / 3) return 0.0;
    const double pinned = i % 9 == 0 ? 1 : 0;
    return i == j ? (i % 3 == 1 ? 2.0 : 1.0) + pinned : std::abs(i - j) == 1 ? -1.0 : 0.0;
  };
  for (int ranks : {1, 2, 4, 7, 20})
    for (std::uint64_t seed = 1; seed <= 4; ++seed)
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        System<double> s(test::test_context(comm), n, blocks, wave, seed);
        const auto space = NullSpace<double>::find(*s.a);
        EXPECT_EQ(space.dimension(), 10);
        EXPECT_TRUE(s.solve("none", CgVariant::single_reduction, {.rtol = 1e-11}, space).converged());
        const auto x = s.answer(), reference = test::least_norm_solve(s.dense_a, s.dense_b);
        // Pinned blocks are nonsingular, the others have least norm: together the pseudo-inverse's answer.
        EXPECT_LE(test::relative_distance(x, reference), 1e-8);
      });
}

TEST(NullSpace, DefiniteMatricesHaveNone) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    System<double> s(test::test_context(comm), 30, test::poisson1d(), wave);
    EXPECT_EQ(NullSpace<double>::find(*s.a).dimension(), 0);
    System<double> tiny(
        test::test_context(comm), 30, [](auto i, auto j) { return 1e-18 * test::poisson1d()(i, j); }, wave);
    EXPECT_EQ(NullSpace<double>::find(*tiny.a).dimension(), 0);
    // Rows without entries are no components of constants.
    System<double> empty(
        test::test_context(comm), 5, [](auto, auto) { return 0.0; }, wave);
    EXPECT_EQ(NullSpace<double>::find(*empty.a).dimension(), 0);
  });
}

TEST(NullSpace, AnyScaleOfTheMatrixAndFloat) {
  for (const double scale : {1e-18, 1.0 / 3, 1e15}) {
    System<double> s(
        test::test_context(make_self_communicator()), 30,
        [&](auto i, auto j) { return scale * test::neumann_chains(30, 1)(i, j); }, wave);
    EXPECT_EQ(NullSpace<double>::find(*s.a).dimension(), 1);
    System<float> f(
        test::test_context(make_self_communicator()), 30,
        [&](auto i, auto j) { return scale * test::neumann_chains(30, 1)(i, j); }, wave);
    EXPECT_EQ(NullSpace<float>::find(*f.a).dimension(), 1);
  }
}

TEST(NullSpace, RightHandSideOfNullSpaceOnlyGivesZero) {
  System<double> s(test::test_context(make_self_communicator()), 30, test::neumann_chains(30, 1),
                   [](GlobalIndex) { return 3.0; });
  const auto result = s.solve("none", CgVariant::single_reduction, {}, NullSpace<double>::constant(*s.a));
  EXPECT_EQ(result.reason, Reason::converged_exact);
  EXPECT_NEAR(result.incompatible, 3.0 * std::sqrt(30.0), 1e-12);
  for (const double v : s.answer()) EXPECT_EQ(v, 0);
}

TEST(Components, CountsThemOverRanks) {
  for (int ranks : {1, 3, 9})
    for (GlobalIndex chains : {1, 4, 30})
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        System<double> s(test::test_context(comm), 30, test::neumann_chains(30, chains), wave, 5);
        const ComponentFinder<double> finder(*s.a);
        EXPECT_EQ(finder.count(), chains);
        for (LocalIndex r = 0; r < s.a->row_map()->n_owned(); ++r)
          EXPECT_EQ(finder.label()[finder.piece()[r]], static_cast<double>(s.a->row_map()->to_global(r) % chains));
      });
}

TEST(MpiNullSpace, Chains) {
  for (GlobalIndex chains : {1, 3}) check_chains(test::test_context(test::world()), 40, chains, 3);
}

} // namespace
} // namespace atl
