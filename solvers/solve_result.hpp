#pragma once

#include <atoll/solvers/stopping.hpp>

namespace atl {

/// How a solve ended, the same on all ranks. Norms are 2-norms of recomputed residuals b - A x.
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

  bool converged() const { return is_converged(reason); }
  /// ||b - A x|| / ||b||; 0 where both are 0.
  double relative_residual() const { return rhs_norm > 0 ? final_residual / rhs_norm : final_residual; }
};

} // namespace atl
