#pragma once

#include <atoll/core/export.hpp>

#include <array>

namespace atl {

/// How far the iterates of conjugate gradients are from the answer x, in the energy norm ||v||_A = sqrt(|v'Av|), by the
/// method's own scalars: gamma_k = (r_k, M^-1 r_k) and the curvature p_k'Ap_k of each step. Costs a few operations and
/// no vector; memory is fixed. A and M may be negative definite, or singular with b in the range of A.
///
/// lower()    A bound: Gauss quadrature, ||x - x_k||_A^2 = sum of d_j over all steps j >= k, d_j = gamma_j^2 / p_j'Ap_j
///            (Hestenes & Stiefel 1952; Strakos & Tichy, BIT 45, 2005). Of the iterate at hand only its own step is
///            known; delayed() looks back to one for which enough steps are known.
/// upper()    A bound where a lower bound mu on the smallest eigenvalue of M^-1 A is given: Gauss-Radau quadrature
///            (Meurant & Tichy, Numer. Algorithms 62, 2013), or gamma_k phi_k / mu with phi_k = ||r_k||^2 / ||p_k||^2
///            where rounding spoils that (Meurant & Tichy, Numer. Algorithms 82, 2019). Otherwise an estimate: gamma_k
///            phi_k / theta, theta half the smallest Ritz value that incremental norms find (the same), but not less than
///            what the decrease until now lets expect of the next (Meurant, Papez & Tichy, Numer. Algorithms 88,
///            2021), nor more than gamma_k / theta. Too small while the method has not yet seen the smallest
///            eigenvalues, typically in the first iterations; those whose part in the error is small may stay unseen
///            for long.
/// Rounding   The sums hold for the iterates of a real computation as long as the carried residual is the true one.
class ATOLL_API EnergyEstimate {
 public:
  /// Begins a solve. norm_part: (b, x0) + (r0, x0), so that ||x||_A^2 = ||x - x0||_A^2 + norm_part.
  /// smallest_eigenvalue: mu, a lower bound on the (nonzero) eigenvalues of M^-1 A by size; 0: not known.
  void start(double norm_part, double smallest_eigenvalue);
  /// The method begins anew from the iterate at hand: the next direction is M^-1 r.
  void restart();
  /// The next iterate, by its (r, M^-1 r). The step that led to it, if any, has been taken.
  void residual(double gamma);
  /// p'Ap of the step that will be taken from it. May come late, but before the next
  /// residual(); a second call does nothing.
  void curvature(double value);
  /// Remembers the iterate before the one at hand; since_mark() is the energy distance squared from there.
  void mark() { since_mark_ = last_; }
  double since_mark() const { return since_mark_; }

  double lower() const; ///< of ||x - x_k||_A for the iterate at hand; 0 before its curvature() is known
  double upper() const; ///< infinite before the first curvature()
  bool upper_is_bound() const { return mu_ > 0 && mu_holds_; }
  double norm() const; ///< of x: a lower bound of ||x||_A, which it meets as the error vanishes
  /// A bound (or estimate, as upper()) of ||e||_A, by (Ae, M^-1 A e).
  double energy_of(double gamma) const;

  /// The error of an earlier iterate, between lower and upper.
  struct Delayed {
    int delay = 0; ///< iterations before the one at hand
    double lower = 0, upper = 0;
  };
  /// The latest iterate for which upper <= (1 + tau) lower, or the earliest one.
  Delayed delayed(double tau = 0.1) const;

 private:
  /// Steps in a row.
  struct Block {
    double sum, least; ///< of their d_j
    int steps;
  };
  static constexpr int most_blocks = 128;

  void push(double decrease);
  double decrease_ahead() const;
  void add_to_ritz(double alpha);
  double smallest_eigenvalue() const;

  double norm_part_ = 0, sign_ = 0, mu_ = 0;
  bool mu_holds_ = true;
  double sum_ = 0, since_mark_ = 0;
  double last_ = 0; ///< d of the last step taken
  double next_ = 0; ///< d of the step from the iterate at hand; 0: not known
  // Of the recurrence since the last (re)start.
  double gamma_ = 0, alpha_ = 0, beta_ = 0; ///< alpha: of the step before, then of the step ahead
  double phi_ = 1;
  double radau_ = 0; ///< the Gauss-Radau coefficient; 0: lost in rounding
  // Largest squared norm found of the inverse of the bidiagonal factor, and the last entry of its row vector.
  double inverse_ = 0, inverse_end_ = 0;
  double ritz_ = 0; ///< smallest value found of all recurrences; 0: none yet
  /// Old steps share blocks, so that memory is fixed.
  std::array<Block, most_blocks> blocks_;
  int n_blocks_ = 0;
};

} // namespace atl
