#pragma once

#include <atoll/solvers/stopping.hpp>

#include <limits>

namespace atl {

/// How far the returned x is from the answer, in the energy norm ||v||_A = sqrt(|v'Av|), and of which system x is the
/// exact answer. Not a number: not known, as everything is of a matrix found indefinite.
struct Certificate {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

  /// Bounds of the energy error by conjugate gradients' own scalars (EnergyEstimate). What the recomputed residual
  /// r = b - A x differs from the carried one by, d, is added to the upper and taken from the lower value in the same
  /// norm: ||d||_(A^-1) <= sqrt((d, M^-1 d) / mu), mu the smallest eigenvalue of M^-1 A.
  double energy_error_lower = unknown;
  double energy_error_upper = unknown; ///< an estimate, unless upper_is_bound
  bool upper_is_bound = false;         ///< Stopping::smallest_eigenvalue was given, and no Ritz value fell below it
  double energy_norm = unknown;        ///< of the answer: a lower bound, which it meets as the error vanishes
  /// The error of the iterate `delay` iterations before the last, of which more is known: upper at most 1.1 times
  /// lower, where there were enough iterations.
  int delay = 0;
  double delayed_lower = unknown, delayed_upper = unknown;
  /// ||r||_2 / (||A||_inf ||x||_2 + ||b||_2) with ||A||_inf the largest absolute row sum, no less than ||A||_2: the
  /// relative size of the change of A and b of which x is the exact answer (Rigal & Gaches, J. ACM 14, 1967).
  double backward_error = unknown;
  double residual_gap = unknown; ///< how far the norm of the recomputed residual is from that of the carried one

  /// Where A turned out to be none that has an energy norm.
  void forget_energy() {
    energy_error_lower = energy_error_upper = energy_norm = delayed_lower = delayed_upper = unknown;
    delay = 0;
  }
  /// energy_error_upper over energy_norm.
  double energy_error_relative() const {
    return energy_error_upper > 0 ? energy_error_upper / energy_norm : energy_error_upper;
  }
};

/// Where the time of the iterations went on this rank, in seconds; recomputed residuals between them are not in it.
struct SolveTimes {
  double iterations = 0; ///< in all
  double halo = 0;       ///< of it: messages of halo exchanges, and waiting for them; 0 where A is not a matrix
  double reductions = 0; ///< of it: sums over the ranks, and waiting for the others
};

/// How a solve ended, the same on all ranks but for its times. Norms are 2-norms of recomputed residuals b - A x.
struct [[nodiscard]] SolveResult {
  Reason reason{};
  int iterations = 0;
  double initial_residual = 0;    ///< ||b - A x0||
  double final_residual = 0;      ///< ||b - A x||, recomputed, of the x that is returned
  double recurrence_residual = 0; ///< what the method carried in the last iteration
  double reference = 0;           ///< the norm that rtol was measured against
  double rhs_norm = 0;            ///< ||b|| (after projection where a null space was removed)
  int residual_replacements = 0;  ///< times the recurrence had drifted and was restarted from the true residual
  double incompatible = 0;        ///< norm of the part of b that was removed because A is singular
  Certificate certificate;
  SolveTimes times;

  bool converged() const { return is_converged(reason); }
  /// ||b - A x|| / ||b||; 0 where both are 0.
  double relative_residual() const { return rhs_norm > 0 ? final_residual / rhs_norm : final_residual; }
};

} // namespace atl
