/// The certificate of conjugate gradients against the truth: dense answers and eigenvalues by Eigen in long double.

#include "problems.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/krylov/energy.hpp>
#include <atoll/solvers/registry.hpp>

#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atl {
namespace {

using test::System;
using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i * i)) + 0.3; }

/// The 5-point stencil on a square of side x side points, with a coefficient a point: harmonic means between them.
test::Entry diffusion2d(GlobalIndex side, const std::function<double(GlobalIndex)>& coefficient) {
  return [=](GlobalIndex i, GlobalIndex j) {
    const auto flow = [&](GlobalIndex x, GlobalIndex y) {
      const double c = coefficient(i);
      if (x < 0 || y < 0 || x >= side || y >= side) return c;
      const double other = coefficient(y * side + x);
      return 2 * c * other / (c + other);
    };
    const GlobalIndex x = i % side, y = i / side, distance = std::abs(x - j % side) + std::abs(y - j / side);
    if (distance == 1) return -flow(j % side, j / side);
    return distance == 0 ? flow(x - 1, y) + flow(x + 1, y) + flow(x, y - 1) + flow(x, y + 1) : 0.0;
  };
}
test::Entry poisson2d(GlobalIndex side) {
  return diffusion2d(side, [](GlobalIndex) { return 1.0; });
}
test::Entry jumps(GlobalIndex side) {
  return diffusion2d(side, [=](GlobalIndex i) { return (i % side / 3 + i / side / 3) % 2 ? 1000.0 : 1.0; });
}
test::Entry random_spd(GlobalIndex n, std::uint64_t seed) {
  const test::RandomMatrix spec{.rows = n, .cols = n, .density = 0.15, .seed = seed, .spd = true};
  const auto rows = std::make_shared<RowBlock<double>>(test::random_rows<double>(spec, 0, n));
  return [rows](GlobalIndex i, GlobalIndex j) {
    for (Offset e = rows->offsets[i]; e < rows->offsets[i + 1]; ++e)
      if (rows->column[e] == j) return rows->value[e];
    return 0.0;
  };
}
test::Entry scaled(double factor, const test::Entry& entry) {
  return [=](GlobalIndex i, GlobalIndex j) { return factor * entry(i, j); };
}

/// What is known of a system without Atoll. A may be semidefinite: then its null space is left out.
class Truth {
 public:
  template <class T>
  explicit Truth(const System<T>& s) {
    const auto n = std::ssize(s.dense_b);
    a_ = Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(s.dense_a.data(), n, n)
             .template cast<Real>();
    const Vector b = Eigen::Map<const Eigen::VectorXd>(s.dense_b.data(), n).template cast<Real>();
    if (a_(0, 0) < 0) sign_ = -1;
    const Eigen::SelfAdjointEigenSolver<Matrix> plain(Matrix(sign_ * a_));
    const Vector scale = (sign_ * a_.diagonal()).cwiseSqrt().cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<Matrix> jacobi(
        Matrix(scale.asDiagonal() * (sign_ * a_) * scale.asDiagonal()));
    smallest_ = first_positive(plain.eigenvalues());
    smallest_jacobi_ = first_positive(jacobi.eigenvalues());
    if (smallest_ == plain.eigenvalues()[0]) {
      answer_ = a_.ldlt().solve(b);
    } else {
      Vector inverse = plain.eigenvalues();
      for (auto& value : inverse) value = value >= smallest_ ? 1 / value : 0;
      answer_ = plain.eigenvectors() * inverse.cwiseProduct(plain.eigenvectors().transpose() * (sign_ * b));
    }
  }

  const Matrix& a() const { return a_; }
  double smallest_eigenvalue(std::string_view preconditioner) const {
    return static_cast<double>(preconditioner == "none" ? smallest_ : smallest_jacobi_);
  }
  double norm() const { return energy(answer_); }
  double error(const Vector& x) const { return energy(answer_ - x); }
  double error(const std::vector<double>& x) const {
    return error(Vector(Eigen::Map<const Eigen::VectorXd>(x.data(), std::ssize(x)).cast<Real>()));
  }

 private:
  double energy(const Vector& v) const {
    return static_cast<double>(std::sqrt(std::max(Real{0}, sign_ * v.dot(a_ * v))));
  }
  static Real first_positive(const Vector& ascending) {
    for (const Real value : ascending)
      if (value > 1e-14L * ascending[ascending.size() - 1]) return value;
    return 0;
  }

  Matrix a_;
  Vector answer_;
  Real sign_ = 1, smallest_ = 0, smallest_jacobi_ = 0;
};

/// Lower <= true <= upper, as far as rounding of double lets one see it.
void expect_bracket(double lower, double truth, double upper, double norm, double rounding = 1e-13) {
  const double blur = rounding * norm;
  EXPECT_LE(lower, truth * (1 + 1e-6) + blur);
  EXPECT_GE(upper, truth * (1 - 1e-6) - blur);
}

struct Problem {
  const char* name;
  GlobalIndex n;
  test::Entry entry;
};
std::vector<Problem> problems() {
  return {{"poisson2d", 81, poisson2d(9)},
          {"jumps", 81, jumps(9)},
          {"random", 60, random_spd(60, 5)},
          {"negative", 64, scaled(-1, poisson2d(8))}};
}

// ---- the scalar recurrences alone, in conjugate gradients by Eigen

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

// ---- the solver's certificate

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
