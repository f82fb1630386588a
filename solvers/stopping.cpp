#include <atoll/solvers/stopping.hpp>

namespace atl {

std::string_view to_string(Reason reason) {
  switch (reason) {
  case Reason::converged_relative:
    return "converged_relative";
  case Reason::converged_absolute:
    return "converged_absolute";
  case Reason::converged_energy:
    return "converged_energy";
  case Reason::converged_exact:
    return "converged_exact";
  case Reason::stopped_iterations:
    return "stopped_iterations";
  case Reason::stopped_time:
    return "stopped_time";
  case Reason::stopped_interrupt:
    return "stopped_interrupt";
  case Reason::failed_indefinite_operator:
    return "failed_indefinite_operator";
  case Reason::failed_indefinite_preconditioner:
    return "failed_indefinite_preconditioner";
  case Reason::failed_nan:
    return "failed_nan";
  case Reason::failed_breakdown:
    return "failed_breakdown";
  case Reason::failed_stagnation:
    return "failed_stagnation";
  case Reason::failed_incompatible:
    return "failed_incompatible";
  }
  return "unknown";
}

std::string_view explain(Reason reason) {
  switch (reason) {
  case Reason::converged_relative:
    return "the true residual meets the relative tolerance";
  case Reason::converged_absolute:
    return "the true residual meets the absolute tolerance";
  case Reason::converged_energy:
    return "the energy norm of the error, with what the true residual adds to it, meets the relative tolerance";
  case Reason::converged_exact:
    return "nothing to do: the right-hand side is zero or the start was the answer";
  case Reason::stopped_iterations:
    return "the iteration limit was reached: raise --max-iterations, or use a stronger preconditioner";
  case Reason::stopped_time:
    return "the time limit was reached: raise --time-limit, or use more ranks";
  case Reason::stopped_interrupt:
    return "the solve was interrupted; the residual of the answer is within twice the smallest seen";
  case Reason::failed_indefinite_operator:
    return "the matrix is not positive definite (nor negative definite): p'Ap was zero or changed sign; conjugate "
           "gradients cannot solve it";
  case Reason::failed_indefinite_preconditioner:
    return "the preconditioner is indefinite: r'Mr was zero or changed sign; try --preconditioner none";
  case Reason::failed_nan:
    return "a value that is not finite appeared: look for NaN or infinity in the matrix, the right-hand side or the "
           "initial guess, or for entries so large that their products overflow";
  case Reason::failed_breakdown:
    return "the method broke down: squares of the residual under- or overflow, or a scalar of the recurrence "
           "vanished; scale the matrix and the right-hand side";
  case Reason::failed_stagnation:
    return "the true residual no longer falls although the method's own residual does: rounding bounds what can be "
           "reached for this matrix, or it is singular; loosen --rtol, or scale the matrix";
  case Reason::failed_incompatible:
    return "the matrix is singular and the right-hand side has a part that no x can reach; --null-space auto removes "
           "the constants from it";
  }
  return "unknown";
}

} // namespace atl
