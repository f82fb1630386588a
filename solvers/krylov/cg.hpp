#pragma once

#include <atoll/solvers/linear_operator.hpp>
#include <atoll/solvers/null_space.hpp>
#include <atoll/solvers/preconditioner.hpp>
#include <atoll/solvers/solve_result.hpp>

namespace atl {

enum class CgVariant {
  single_reduction, ///< Chronopoulos & Gear (1989): one reduction an iteration
  textbook,         ///< Hestenes & Stiefel (1952); Saad (2003), algorithm 9.1: two reductions an iteration
  pipelined ///< Ghysels & Vanroose (2014): one reduction, which goes on beside preconditioner and product; more vectors
};

template <class T>
struct CgWorkspace;

/// Preconditioned conjugate gradients for symmetric definite A (positive, or negative as pressure matrices come).
/// The object keeps its workspace: a second solve of the same shape allocates nothing (a vector more is kept from the
/// first time that a residual grows beyond twice the smallest).
/// Converged is only said after b - A x was recomputed and meets the tolerance; where the carried residual has
/// drifted from the true one, the iteration restarts from the true one (residual replacement; van der Vorst & Ye,
/// SIAM J. Sci. Comput. 22, 2000), and ends as failed_stagnation when that no longer helps.
/// Ranks      solve() is collective; all ranks leave together with the same result.
/// Errors     Error{usage} when shapes disagree. Numerical endings are reasons in the result.
template <class T>
class ATOLL_API Cg {
 public:
  explicit Cg(CgVariant variant = CgVariant::single_reduction) : variant_(variant) {}

  /// Exact dot products from now on: with a matrix made with Options::column_order, and a null space that is
  /// reproducible where there is one, x and every residual norm are the same to the bit for any number of ranks and
  /// threads and any partition.
  void set_reproducible(bool reproducible) { reproducible_ = reproducible; }

  /// x holds the initial guess and receives the answer. Where the tolerance is not met, that is an iterate whose
  /// residual is at most twice the smallest one that the method carried (measured anew; rounding apart, where the
  /// residual leaps by 1e10 and more in one step or the carried one has drifted), and none worse than zero.
  /// null_space: b is projected (the caller's b is not changed), iterates are projected, x has zero mean on each
  /// floating component.
  SolveResult solve(LinearOperator<T>& a, Preconditioner<T>& m, const DVector<T>& b, DVector<T>& x,
                    const Stopping& stopping, const NullSpace<T>& null_space = {});

  std::size_t bytes() const; ///< workspace on this rank
  static const char* name(CgVariant variant);

 private:
  CgVariant variant_;
  bool reproducible_ = false;
  std::shared_ptr<CgWorkspace<T>> work_;
};

extern template class Cg<float>;
extern template class Cg<double>;

} // namespace atl
