#pragma once

#include <atoll/core/export.hpp>

#include <atomic>
#include <string_view>

namespace atl {

/// What the residual norm is measured against.
enum class ReferenceNorm {
  rhs,     ///< ||b||
  initial, ///< ||b - A x0||
  given    ///< Stopping::reference
};

/// What rtol asks for.
enum class StopTest {
  residual, ///< ||r||_2 <= rtol * reference, r the true residual
  energy    ///< the energy norm of the error <= rtol * that of x, by SolveResult::certificate's upper value
};

/// When an iteration may stop: what rtol asks for is met, or ||r||_2 <= atol, r the true residual.
struct Stopping {
  double rtol = 1e-8;
  double atol = 0;
  int max_iterations = 10000;
  double time_limit_seconds = 0; ///< 0: none
  ReferenceNorm against = ReferenceNorm::rhs;
  double reference = 1; ///< for ReferenceNorm::given
  StopTest test = StopTest::residual;
  /// A lower bound on the smallest nonzero eigenvalue of M^-1 A (by size), M the preconditioner; 0: not known. With
  /// it, upper values of energy errors are bounds.
  double smallest_eigenvalue = 0;
  /// Set to anything but zero, from a signal handler say, on any rank: all ranks leave after their iteration.
  const std::atomic<int>* interrupt = nullptr;
};

enum class Reason {
  converged_relative, ///< ||r|| <= rtol * reference
  converged_absolute, ///< ||r|| <= atol
  converged_energy,   ///< energy norm of the error <= rtol * that of x (StopTest::energy)
  converged_exact,    ///< nothing left to do: zero right-hand side, exact start, happy breakdown
  stopped_iterations, ///< max_iterations reached
  stopped_time,       ///< time limit reached
  stopped_interrupt,  ///< Stopping::interrupt was set
  failed_indefinite_operator,
  failed_indefinite_preconditioner,
  failed_nan,
  failed_breakdown,
  failed_stagnation,  ///< the true residual no longer falls; rounding bounds what can be reached
  failed_incompatible ///< A is singular and b has a part that no x can reach; known by who knows the null space
};

ATOLL_API std::string_view to_string(Reason reason); ///< the identifier: "converged_relative"
ATOLL_API std::string_view explain(Reason reason);   ///< a sentence: cause and next step
inline bool is_converged(Reason reason) { return reason <= Reason::converged_exact; }
inline bool is_failure(Reason reason) { return reason >= Reason::failed_indefinite_operator; }

} // namespace atl
