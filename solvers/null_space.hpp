#pragma once

#include <atoll/comm/dsparse_matrix.hpp>

namespace atl {

/// The constant null space of each connected component of a symmetric matrix whose rows sum to zero there
/// (pure Neumann problems): one vector a floating component. Ranks      find() and project() are collective.
/// project() uses one reduction and allocates nothing. Source     components by label propagation over the
/// halo (union-find inside a rank); zero row sums are tested
///            against rounding, |sum_j a_ij| <= 100 eps sum_j |a_ij|, so any scaling of the matrix passes
///            alike.
template <class T>
class ATOLL_API NullSpace {
 public:
  /// Nothing to remove.
  NullSpace() = default;
  /// Detects the floating components of `a`. Rows without any entry are not floating; see empty_rows().
  static NullSpace find(const DSparseMatrix<T>& a);
  /// One constant vector over the whole matrix, as told by the caller.
  static NullSpace constant(const DSparseMatrix<T>& a);

  int dimension() const { return dimension_; }
  /// Subtracts from x its mean over each floating component; `removed` gets the norm of what was subtracted.
  void project(DVector<T>& x, double* removed = nullptr) const;
  std::size_t bytes() const { return component_.bytes(); }

 private:
  int dimension_ = 0;
  Context context_;
  Array<std::int32_t> component_;    ///< of each owned row: 0 .. dimension-1, or -1; empty: all rows are in 0
  std::vector<double> count_;        ///< rows of each component
  mutable std::vector<double> sums_; ///< scratch of project()
  mutable std::vector<T> scratch_;
};

extern template class NullSpace<float>;
extern template class NullSpace<double>;

} // namespace atl
