#include <atoll/solvers/krylov/energy.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Steps whose error squared was more than this times the newest decrease say nothing of what is ahead.
constexpr double far_back = 1e4;

/// The eigenvalue given is made smaller by this share. A Ritz value that agrees with it to all digits would leave
/// nothing but rounding of the Gauss-Radau coefficient; and scalars of a solve in float are not better than that.
constexpr double margin = 1e-4;

/// Below this share of itself, what is left of the Gauss-Radau coefficient is mostly rounding.
constexpr double cancelled = 1e-8;

} // namespace

void EnergyEstimate::start(double norm_part, double smallest_eigenvalue) {
  norm_part_ = norm_part;
  mu_ = smallest_eigenvalue * (1 - margin);
  mu_holds_ = true;
  sign_ = sum_ = since_mark_ = last_ = ritz_ = 0;
  n_blocks_ = 0;
  restart();
}

void EnergyEstimate::restart() {
  gamma_ = alpha_ = beta_ = next_ = inverse_ = inverse_end_ = 0;
  phi_ = 1;
  radau_ = mu_ > 0 ? 1 / mu_ : 0;
}

void EnergyEstimate::residual(double gamma) {
  gamma = std::abs(gamma);
  if (next_ > 0) push(next_);
  const bool first = alpha_ == 0;
  beta_ = first ? 0 : gamma / gamma_;
  if (!first) {
    phi_ /= phi_ + beta_;
    const double rest = radau_ - alpha_;
    radau_ = rest > cancelled * radau_ ? rest / (mu_ * rest + beta_) : 0;
  }
  gamma_ = gamma;
}

void EnergyEstimate::curvature(double value) {
  if (next_ > 0 || value == 0 || !std::isfinite(value) || gamma_ == 0) return;
  sign_ = value < 0 ? -1 : 1;
  const double alpha = gamma_ / std::abs(value);
  next_ = alpha * gamma_;
  add_to_ritz(alpha);
  alpha_ = alpha;
}

/// Full, the older half of the blocks are joined two by two.
void EnergyEstimate::push(double decrease) {
  if (n_blocks_ == most_blocks) {
    constexpr int half = most_blocks / 2;
    for (int i = 0; i < half / 2; ++i) {
      const Block &a = blocks_[2 * i], &b = blocks_[2 * i + 1];
      blocks_[i] = {a.sum + b.sum, std::min(a.least, b.least), a.steps + b.steps};
    }
    std::copy(blocks_.begin() + half, blocks_.end(), blocks_.begin() + half / 2);
    n_blocks_ -= half / 2;
  }
  blocks_[n_blocks_++] = {decrease, decrease, 1};
  sum_ += decrease;
  since_mark_ += decrease;
  last_ = decrease;
  next_ = 0;
}

/// One more column of the upper bidiagonal B, T = B'B the Lanczos matrix: diagonal 1/sqrt(alpha), above it
/// sqrt(beta / alpha before). The largest singular value of B^-1 is looked for among the unit vectors that combine the
/// one found before and the new axis: a symmetric 2 x 2 problem.
void EnergyEstimate::add_to_ritz(double alpha) {
  const double corner = std::sqrt(alpha);
  if (inverse_ == 0) {
    inverse_ = alpha;
    inverse_end_ = corner;
  } else {
    const double reach = -corner * std::sqrt(beta_ / alpha_) * inverse_end_;
    const double a = inverse_ + reach * reach, b = reach * corner, c = alpha;
    const double half_difference = (a - c) / 2, root = std::hypot(half_difference, b);
    double old_part = a >= c ? half_difference + root : b, new_part = a >= c ? b : root - half_difference;
    const double length = std::hypot(old_part, new_part);
    if (length > 0) {
      old_part /= length;
      new_part /= length;
    } else {
      old_part = 1;
    }
    inverse_ = (a + c) / 2 + root;
    inverse_end_ = old_part * reach + new_part * corner;
  }
  const double value = 1 / inverse_;
  ritz_ = ritz_ == 0 ? value : std::min(ritz_, value);
  if (ritz_ < mu_) mu_holds_ = false; // Ritz values lie above the smallest eigenvalue
}

/// Incremental norms find the smallest Ritz value to a factor of about 2.
double EnergyEstimate::smallest_eigenvalue() const { return upper_is_bound() ? mu_ : ritz_ / 2; }

/// The error squared that is left, judged by how much of it the newest of the known steps took away: the least share
/// that a step of late took is supposed of it, too.
double EnergyEstimate::decrease_ahead() const {
  const bool known = next_ > 0;
  const double newest = known ? next_ : last_;
  double error = known ? next_ : 0, inverse_share = 1;
  for (int i = n_blocks_ - 1; i >= 0 && error < far_back * newest; --i) {
    error += blocks_[i].sum;
    inverse_share = std::max(inverse_share, error / blocks_[i].least);
  }
  return known ? inverse_share * newest : (inverse_share - 1) * newest;
}

double EnergyEstimate::lower() const { return std::sqrt(next_); }

double EnergyEstimate::energy_of(double gamma) const {
  const double eigenvalue = smallest_eigenvalue();
  return eigenvalue > 0 ? std::sqrt(std::abs(gamma) / eigenvalue) : infinity;
}

double EnergyEstimate::upper() const {
  const double eigenvalue = smallest_eigenvalue();
  if (eigenvalue == 0) return infinity;
  const double simple = phi_ * gamma_ / eigenvalue;
  if (upper_is_bound()) return std::sqrt(radau_ > 0 ? std::min(simple, radau_ * gamma_) : simple);
  return std::sqrt(std::max(simple, std::min(decrease_ahead(), gamma_ / eigenvalue)));
}

double EnergyEstimate::norm() const {
  const double square = sign_ == 0 ? std::abs(norm_part_) : sign_ * norm_part_ + sum_ + next_;
  return std::sqrt(std::max(0.0, square));
}

EnergyEstimate::Delayed EnergyEstimate::delayed(double tau) const {
  const double ahead = upper() * upper();
  Delayed found{0, lower(), upper()};
  double taken = 0;
  for (int i = n_blocks_ - 1; i >= 0 && !(found.upper <= (1 + tau) * found.lower); --i) {
    taken += blocks_[i].sum;
    found = {found.delay + blocks_[i].steps, std::sqrt(taken + next_), std::sqrt(taken + ahead)};
  }
  return found;
}

} // namespace atl
