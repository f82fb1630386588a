#pragma once

#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/core/exact_sum.hpp>

namespace atl {

/// The constant null space of each connected component of a symmetric matrix whose rows sum to zero there
/// (pure Neumann problems): one vector a floating component. Ranks      find(), constant() and project() are
/// collective. project() uses one reduction for the components that
///            reach over ranks, none for the others, and allocates nothing.
/// Memory     4 bytes a row, or none where all rows are one component; nothing of the length of the matrix.
/// Source     components by label propagation over the halo, union-find inside a rank; row sums are tested
/// against
///            rounding, |sum_j a_ij| <= 100 eps sum_j |a_ij|, so any scaling of the matrix passes alike.
template <class T>
class ATOLL_API NullSpace {
 public:
  /// Nothing to remove.
  NullSpace() = default;
  /// Detects the floating components of `a`. Rows without any entry are not floating.
  static NullSpace find(const DSparseMatrix<T>& a);
  /// One constant vector over the whole matrix, as told by the caller.
  static NullSpace constant(const DSparseMatrix<T>& a);

  /// Exact sums from now on, so that projections do not depend on the distribution; 576 bytes a component. Only the
  /// norm that project() returns may. Local.
  void set_reproducible();

  /// Vectors in the null space, over all ranks.
  std::int64_t dimension() const { return dimension_; }
  /// Subtracts from x its mean over each floating component. The norm of what was subtracted is returned.
  double project(DVector<T>& x) const;
  std::size_t bytes() const { return component_.capacity() * sizeof(LocalIndex); }

 private:
  void finish(const DSparseMatrix<T>& a, std::int64_t n_shared);
  void sum_components(std::span<const T> values) const;
  void reduce_shared(std::span<double> shared) const;
  LocalIndex component(std::size_t row) const { return component_.empty() ? 0 : component_[row]; }

  std::int64_t dimension_ = 0;
  CommunicatorPtr comm_;
  /// Floating component of each owned row: 0 .. n_inside-1 lie inside this rank, the next n_shared reach over
  /// ranks; -1 for rows of no floating component. Empty: all rows are in component 0.
  std::vector<LocalIndex> component_;
  std::int64_t n_inside_ = 0;
  std::vector<double> count_;           ///< rows of each component, over all ranks
  mutable std::vector<double> sums_;    ///< scratch of project(): sums, and one place for the norm
  mutable std::vector<ExactSum> exact_; ///< where set_reproducible() was called: one a component
  mutable std::vector<T> host_;         ///< scratch of project() where host code may not look at vectors
};

extern template class NullSpace<float>;
extern template class NullSpace<double>;

} // namespace atl
