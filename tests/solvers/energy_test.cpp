#include "energy_truth.hpp"

#include <atoll/solvers/krylov/energy.hpp>

#include <support/contexts.hpp>

namespace atl {
namespace {

using namespace test;

// The scalar recurrences alone, in conjugate gradients by Eigen.

/// Runs textbook conjugate gradients in double and calls look(k, x_k) where the estimate knows all of x_k.
template <class Look>
void iterate(const Truth& truth, const Eigen::VectorXd& b, bool jacobi, int steps, EnergyEstimate& energy,
             Look look) {
  const Eigen::MatrixXd a = truth.a().cast<double>();
  const Eigen::VectorXd m = jacobi ? Eigen::VectorXd(a.diagonal().cwiseInverse()) : Eigen::VectorXd::Ones(b.size());
  Eigen::VectorXd x = Eigen::VectorXd::Zero(b.size()), r = b, p = x;
  double before = 0;
  for (int k = 0; k <= steps; ++k) {
    const Eigen::VectorXd u = m.cwiseProduct(r);
    const double gamma = r.dot(u);
    p = before == 0 ? u : Eigen::VectorXd(u + gamma / before * p);
    const Eigen::VectorXd w = a * p;
    energy.residual(gamma);
    energy.curvature(p.dot(w));
    look(k, x);
    x += gamma / p.dot(w) * p;
    r -= gamma / p.dot(w) * w;
    before = gamma;
  }
}

TEST(EnergyEstimate, BoundsHoldAtEveryIterationAndTheDelayedOnesAreTight) {
  for (const Problem& problem : problems())
    for (const bool jacobi : {false, true}) {
      SCOPED_TRACE(std::string(problem.name) + (jacobi ? ", jacobi" : ", none"));
      const System<double> s(test::test_context(make_self_communicator()), problem.n, problem.entry, wave);
      const Truth truth(s);
      EnergyEstimate energy;
      energy.start(0, truth.smallest_eigenvalue(jacobi ? "jacobi" : "none"));
      std::vector<double> errors;
      int tight = 0;
      constexpr double tau = 0.1;
      const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(s.dense_b.data(), problem.n);
      iterate(truth, b, jacobi, 400, energy, [&](int k, const Eigen::VectorXd& x) {
        errors.push_back(truth.error(Vector(x.cast<Real>())));
        if (errors.back() < 1e-11 * truth.norm()) return;
        expect_bracket(energy.lower(), errors.back(), energy.upper(), truth.norm());
        EXPECT_TRUE(energy.upper_is_bound());
        EXPECT_LE(energy.norm(), truth.norm() * (1 + 1e-9));
        const auto past = energy.delayed(tau);
        ASSERT_LE(past.delay, k);
        const double error = errors[static_cast<std::size_t>(k - past.delay)];
        expect_bracket(past.lower, error, past.upper, truth.norm());
        if (past.upper <= (1 + tau) * past.lower)
          ++tight;
        else
          EXPECT_EQ(past.delay, k);
      });
      EXPECT_GE(tight, 10);
    }
}

TEST(EnergyEstimate, WithoutAnEigenvalueTheEstimatesAreNearTheTruth) {
  for (const Problem& problem : problems())
    for (const bool jacobi : {false, true}) {
      SCOPED_TRACE(std::string(problem.name) + (jacobi ? ", jacobi" : ", none"));
      const System<double> s(test::test_context(make_self_communicator()), problem.n, problem.entry, wave);
      const Truth truth(s);
      EnergyEstimate energy;
      energy.start(0, 0);
      std::vector<double> errors;
      const Eigen::VectorXd b = Eigen::Map<const Eigen::VectorXd>(s.dense_b.data(), problem.n);
      iterate(truth, b, jacobi, 400, energy, [&](int k, const Eigen::VectorXd& x) {
        errors.push_back(truth.error(Vector(x.cast<Real>())));
        const double relative = errors.back() / truth.norm();
        if (relative < 1e-11) return;
        EXPECT_FALSE(energy.upper_is_bound());
        EXPECT_LE(energy.lower(), errors.back() * (1 + 1e-6) + 1e-13 * truth.norm());
        if (relative > 0.03) return; // the smallest eigenvalues are not seen yet
        EXPECT_GE(energy.upper(), errors.back()) << "iteration " << k << ", relative error " << relative;
        EXPECT_LE(energy.upper(), 50 * errors.back()) << "iteration " << k;
        const auto past = energy.delayed();
        const double error = errors[static_cast<std::size_t>(k - past.delay)];
        if (past.delay < k) {
          EXPECT_GE(past.lower, error / 1.15);
        }
      });
    }
}

TEST(EnergyEstimate, HandNumbers) {
  // A = diag(1, 4), b = (1, 1), so x = (1, 1/4) and ||x||_A^2 = 5/4. First step: gamma = 2, p'Ap = 5: 4/5 of it.
  EnergyEstimate energy;
  energy.start(0, 1);
  energy.residual(2);
  EXPECT_NEAR(energy.upper(), std::sqrt(2.0), 1e-3); // gamma / mu
  energy.curvature(5);
  EXPECT_DOUBLE_EQ(energy.lower(), std::sqrt(0.8));
  // r1 = (1, 1) - 2/5 (1, 4) = (3/5, -3/5): gamma 18/25, error squared 9/25 + 9/100 = 0.45, which Radau with the exact
  // eigenvalue meets.
  energy.residual(0.72);
  EXPECT_NEAR(energy.upper(), std::sqrt(0.45), 1e-3);
  EXPECT_NEAR(energy.norm(), std::sqrt(0.8), 1e-14);
  // p1 = r1 + 9/25 (1, 1) = (24/25, -6/25): p'Ap = 576/625 + 144/625.
  energy.curvature(720.0 / 625);
  EXPECT_NEAR(energy.lower(), std::sqrt(0.45), 1e-14);
  EXPECT_NEAR(energy.norm(), std::sqrt(1.25), 1e-14);
}

TEST(EnergyEstimate, AnEigenvalueThatIsTooLargeIsNoticedAndNotBelieved) {
  EnergyEstimate energy;
  energy.start(0, 3); // of diag(1, 4) as above
  energy.residual(2);
  energy.curvature(5);
  energy.residual(0.72);
  energy.curvature(720.0 / 625);
  EXPECT_FALSE(energy.upper_is_bound());
  EXPECT_GE(energy.upper(), std::sqrt(0.45) * (1 - 1e-12));
}

TEST(EnergyEstimate, ThousandsOfStepsKeepTheirSumsInFixedMemory) {
  // d_k = q^(2k): the errors are known in closed form.
  constexpr double q = 0.9995;
  EnergyEstimate energy;
  energy.start(0, 0);
  for (int k = 0; k < 20000; ++k) {
    const double gamma = std::pow(q, k);
    energy.residual(gamma);
    energy.curvature(1);
  }
  const auto past = energy.delayed(0.1);
  const double from = std::pow(q, 2 * (19999 - past.delay)), to = std::pow(q, 2 * 20000);
  EXPECT_NEAR(past.lower, std::sqrt((from - to) / (1 - q * q)), 1e-9 * past.lower);
  EXPECT_NEAR(energy.norm(), std::sqrt((1 - to) / (1 - q * q)), 1e-9 * energy.norm());
  EXPECT_LE(sizeof energy, 4096u);
}

} // namespace
} // namespace atl
