#pragma once
/// Systems whose energies are known without Atoll: dense answers and eigenvalues by Eigen in long double.

#include "problems.hpp"

#include <support/random_matrix.hpp>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace atl::test {

using Real = long double;
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

inline double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i * i)) + 0.3; }

/// The 5-point stencil on a square of side x side points, with a coefficient a point: harmonic means between them.
inline Entry diffusion2d(GlobalIndex side, const std::function<double(GlobalIndex)>& coefficient) {
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
inline Entry poisson2d(GlobalIndex side) {
  return diffusion2d(side, [](GlobalIndex) { return 1.0; });
}
inline Entry jumps(GlobalIndex side) {
  return diffusion2d(side, [=](GlobalIndex i) { return (i % side / 3 + i / side / 3) % 2 ? 1000.0 : 1.0; });
}
inline Entry random_spd(GlobalIndex n, std::uint64_t seed) {
  const test::RandomMatrix spec{.rows = n, .cols = n, .density = 0.15, .seed = seed, .spd = true};
  const auto rows = std::make_shared<RowBlock<double>>(test::random_rows<double>(spec, 0, n));
  return [rows](GlobalIndex i, GlobalIndex j) {
    for (Offset e = rows->offsets[i]; e < rows->offsets[i + 1]; ++e)
      if (rows->column[e] == j) return rows->value[e];
    return 0.0;
  };
}
inline Entry scaled(double factor, const Entry& entry) {
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
inline void expect_bracket(double lower, double truth, double upper, double norm, double rounding = 1e-13) {
  const double blur = rounding * norm;
  EXPECT_LE(lower, truth * (1 + 1e-6) + blur);
  EXPECT_GE(upper, truth * (1 - 1e-6) - blur);
}

struct Problem {
  const char* name;
  GlobalIndex n;
  Entry entry;
};
inline std::vector<Problem> problems() {
  return {{"poisson2d", 81, poisson2d(9)},
          {"jumps", 81, jumps(9)},
          {"random", 60, random_spd(60, 5)},
          {"negative", 64, scaled(-1, poisson2d(8))}};
}

} // namespace atl::test
