/// The certificate of conjugate gradients against the truth.

#include "energy_truth.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/registry.hpp>

#include <support/contexts.hpp>

namespace atl {
namespace {

using namespace test;

struct Form {
  const char* name;
  const char* executor;
  CgVariant variant;

  Context context(CommunicatorPtr comm) const {
    const bool host = executor == std::string_view("host");
    return test::test_context(std::move(comm), host ? make_host_executor(1) : make_reference_executor());
  }
};
/// The single-reduction variant runs in one pass over memory on the host's executor, and in several on the reference's.
constexpr Form forms[] = {{"fused", "host", CgVariant::single_reduction},
                          {"single reduction", "reference", CgVariant::single_reduction},
                          {"textbook", "host", CgVariant::textbook}};

TEST(Certificate, BracketsTheTrueErrorWhereverTheSolveEnds) {
  for (const Form& form : forms)
    for (const Problem& problem : problems())
      for (const char* preconditioner : {"none", "jacobi"}) {
        SCOPED_TRACE(std::string(form.name) + ", " + problem.name + ", " + preconditioner);
        System<double> s(form.context(make_self_communicator()), problem.n, problem.entry, wave);
        const Truth truth(s);
        for (int most = 0; most < 60; ++most) {
          s.x.fill(0);
          const auto result = s.solve(preconditioner, form.variant,
                                      {.rtol = 1e-11,
                                       .max_iterations = most,
                                       .smallest_eigenvalue = truth.smallest_eigenvalue(preconditioner)});
          const Certificate& c = result.certificate;
          const auto x = s.answer();
          EXPECT_TRUE(c.upper_is_bound || (most == 0 && form.variant == CgVariant::textbook));
          expect_bracket(c.energy_error_lower, truth.error(x), c.energy_error_upper, truth.norm());
          if (form.variant == CgVariant::single_reduction && truth.error(x) > 1e-6 * truth.norm()) {
            EXPECT_GT(c.energy_error_lower, 0);
          }
          EXPECT_LE(c.energy_norm, truth.norm() * (1 + 1e-9));
          if (result.converged()) {
            EXPECT_NEAR(c.energy_norm, truth.norm(), 1e-9 * truth.norm());
            break;
          }
        }
      }
}

TEST(Certificate, BackwardErrorIsThatOfADenseComputation) {
  for (const Form& form : forms) {
    System<double> s(form.context(make_self_communicator()), 81, jumps(9), wave);
    const Truth truth(s);
    const auto result = s.solve("jacobi", form.variant, {.rtol = 1e-4});
    const auto answer = s.answer();
    const Vector x = Eigen::Map<const Eigen::VectorXd>(answer.data(), 81).cast<Real>();
    const Vector b = Eigen::Map<const Eigen::VectorXd>(s.dense_b.data(), 81).cast<Real>();
    const Real scale = truth.a().cwiseAbs().rowwise().sum().maxCoeff() * x.norm() + b.norm();
    const auto expected = static_cast<double>((b - truth.a() * x).norm() / scale);
    EXPECT_NEAR(result.certificate.backward_error, expected, 1e-6 * expected);
    EXPECT_NEAR(result.certificate.residual_gap, std::abs(result.final_residual - result.recurrence_residual), 0);
  }
}

/// Solves by the energy test and compares with the truth; tells the relative error reached.
template <class T>
double solve_by_energy(System<T>& s, const Truth& truth, const Form& form, const char* preconditioner, double rtol,
                       bool told) {
  s.x.fill(0);
  const auto result = s.solve(preconditioner, form.variant,
                              {.rtol = rtol,
                               .test = StopTest::energy,
                               .smallest_eigenvalue = told ? truth.smallest_eigenvalue(preconditioner) : 0});
  EXPECT_EQ(result.reason, Reason::converged_energy);
  EXPECT_LE(result.certificate.energy_error_relative(), rtol);
  const double reached = truth.error(s.answer()) / truth.norm();
  EXPECT_LE(reached, rtol) << (told ? "told" : "estimated");
  return reached;
}

TEST(StopEnergy, GivesTheErrorAskedForAndNotFarLess) {
  for (const Problem& problem : problems())
    for (const Form& form : forms) {
      System<double> s(form.context(make_self_communicator()), problem.n, problem.entry, wave);
      const Truth truth(s);
      for (const char* preconditioner : {"none", "jacobi"})
        for (const bool told : {true, false})
          for (const double rtol : {1e-3, 1e-6, 1e-9}) {
            SCOPED_TRACE(std::string(form.name) + ", " + problem.name + ", " + preconditioner);
            EXPECT_GE(solve_by_energy(s, truth, form, preconditioner, rtol, told), rtol / 100);
          }
    }
}

TEST(StopEnergy, OnManyRanksAndInFloat) {
  for (int ranks : {1, 2, 3, 4})
    run_virtual_cluster(ranks, [](CommunicatorPtr comm) {
      for (const Form& form : forms)
        for (const Problem& problem : problems()) {
          SCOPED_TRACE(std::string(form.name) + ", " + problem.name);
          System<double> s(form.context(comm), problem.n, problem.entry, wave);
          solve_by_energy(s, Truth(s), form, "jacobi", 1e-8, true);
          System<float> single(form.context(comm), problem.n, problem.entry, wave);
          solve_by_energy(single, Truth(single), form, "jacobi", 1e-3, true);
        }
    });
}

TEST(StopEnergy, SingularMatricesAndWarmStarts) {
  constexpr GlobalIndex n = 60;
  for (const Form& form : forms)
    for (const double sign : {1.0, -1.0})
      for (const double start : {0.0, 1.0, 100.0}) {
        SCOPED_TRACE(form.name);
        System<double> s(form.context(make_self_communicator()), n, scaled(sign, test::neumann_chains(n, 2)),
                         [](GlobalIndex i) { return i % 2 == 0 ? std::cos(0.3 * static_cast<double>(i)) : 0.5; });
        std::vector<double> first(n);
        for (GlobalIndex i = 0; i < n; ++i) first[static_cast<std::size_t>(i)] = start * wave(i);
        s.x.set_owned(first);
        const auto space = NullSpace<double>::find(*s.a);
        // b with the means of both chains taken out, as the solver does.
        System<double> reachable(s.context, n, scaled(sign, test::neumann_chains(n, 2)), [&](GlobalIndex i) {
          double mean = 0;
          for (GlobalIndex j = i % 2; j < n; j += 2) mean += s.dense_b[static_cast<std::size_t>(j)] / (n / 2);
          return s.dense_b[static_cast<std::size_t>(i)] - mean;
        });
        const Truth truth(reachable);
        const auto result = s.solve(
            "jacobi", form.variant,
            {.rtol = 1e-7, .test = StopTest::energy, .smallest_eigenvalue = truth.smallest_eigenvalue("jacobi")},
            space);
        EXPECT_EQ(result.reason, Reason::converged_energy);
        EXPECT_LE(truth.error(s.answer()), 1e-7 * truth.norm());
        EXPECT_NEAR(result.certificate.energy_norm, truth.norm(), 1e-6 * truth.norm());
      }
}

TEST(StopEnergy, IsNotSaidOfACarriedResidualThatHasDriftedAway) {
  // Condition 1e12: the carried residual falls for ever, the true one does not.
  const auto entry = [](GlobalIndex i, GlobalIndex j) {
    const auto d = [](GlobalIndex k) { return std::pow(10.0, -5.0 * static_cast<double>(k) / 59); };
    return test::poisson1d()(i, j) * d(i) * d(j);
  };
  int refused = 0;
  for (const Form& form : forms)
    for (const char* preconditioner : {"none", "jacobi"})
      for (const double rtol : {1e-3, 1e-8, 1e-11, 1e-14, 1e-17}) {
        SCOPED_TRACE(std::string(form.name) + ", " + preconditioner + ", " + std::to_string(-std::log10(rtol)));
        System<double> s(form.context(make_self_communicator()), 60, entry, wave);
        const Truth truth(s);
        const auto result = s.solve(preconditioner, form.variant,
                                    {.rtol = rtol,
                                     .max_iterations = 3000,
                                     .test = StopTest::energy,
                                     .smallest_eigenvalue = truth.smallest_eigenvalue(preconditioner)});
        const double reached = truth.error(s.answer()) / truth.norm();
        if (result.converged()) {
          EXPECT_LE(reached, rtol);
        } else {
          ++refused;
          EXPECT_GE(result.certificate.energy_error_upper, reached * truth.norm() * (1 - 1e-6));
        }
        if (rtol <= 1e-17) {
          EXPECT_FALSE(result.converged());
        }
      }
  EXPECT_GE(refused, 6);
}

TEST(Certificate, OfWhatIsZeroOrUnknown) {
  const Context context = test::test_context(make_self_communicator());
  System<double> zero(context, 20, test::poisson1d(), [](GlobalIndex) { return 0.0; });
  const auto nothing = zero.solve().certificate;
  EXPECT_EQ(nothing.energy_error_upper, 0);
  EXPECT_EQ(nothing.energy_error_relative(), 0);
  EXPECT_EQ(nothing.backward_error, 0);

  const auto saddle = [](GlobalIndex i, GlobalIndex j) { return i == j ? (i % 2 ? -1.0 : 2.0) : 0.0; };
  System<double> indefinite(context, 20, saddle, wave);
  const auto result = indefinite.solve("none");
  ASSERT_EQ(result.reason, Reason::failed_indefinite_operator);
  EXPECT_TRUE(std::isnan(result.certificate.energy_error_lower));
  EXPECT_TRUE(std::isnan(result.certificate.energy_error_upper));
  EXPECT_TRUE(std::isnan(result.certificate.energy_norm));
  EXPECT_GT(result.certificate.backward_error, 0);
}

TEST(MpiCertificate, IsTheSameOnAllRanksAndTrue) {
  const Problem problem = problems()[1];
  for (const Form& form : forms) {
    System<double> s(form.context(test::world()), problem.n, problem.entry, wave);
    const Truth truth(s);
    for (const bool told : {true, false}) solve_by_energy(s, truth, form, "jacobi", 1e-6, told);
  }
}

} // namespace
} // namespace atl
