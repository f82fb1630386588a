#pragma once

#include <atoll/comm/dsparse_matrix.hpp>

#include <limits>

namespace atl {

/// Anything that can be applied to a distributed vector: a matrix, or what a caller defines without one.
/// Ranks      apply() and residual() are collective.
template <class T>
class LinearOperator {
 public:
  virtual ~LinearOperator() = default;
  virtual const Context& context() const = 0;
  virtual IndexMapPtr row_map() const = 0; ///< of results
  virtual IndexMapPtr col_map() const = 0; ///< of arguments (owned range equals row_map()'s when square)
  virtual void apply(DVector<T>& x, DVector<T>& y) = 0;
  /// r = b - A x.
  virtual void residual(DVector<T>& x, const DVector<T>& b, DVector<T>& r) = 0;
  /// The largest absolute row sum; not a number where it is not known. Collective.
  virtual double norm_inf() { return std::numeric_limits<double>::quiet_NaN(); }
  /// The matrix that this is, for methods that can use it; null for others.
  virtual const DSparseMatrix<T>* matrix() const { return nullptr; }
};

/// A matrix as an operator; shares ownership, so the matrix lives as long as the solver. norm_inf() passes over the
/// matrix once and is kept: after update_values, make a new operator.
template <class T>
class MatrixOperator final : public LinearOperator<T> {
 public:
  explicit MatrixOperator(std::shared_ptr<const DSparseMatrix<T>> a) : a_(std::move(a)) {}
  const Context& context() const override { return a_->context(); }
  IndexMapPtr row_map() const override { return a_->row_map(); }
  IndexMapPtr col_map() const override { return a_->col_map(); }
  void apply(DVector<T>& x, DVector<T>& y) override { a_->multiply(x, y); }
  void residual(DVector<T>& x, const DVector<T>& b, DVector<T>& r) override { a_->residual(x, b, r); }
  double norm_inf() override {
    if (!(norm_inf_ >= 0)) norm_inf_ = a_->norm_inf();
    return norm_inf_;
  }
  const DSparseMatrix<T>* matrix() const override { return a_.get(); }

 private:
  std::shared_ptr<const DSparseMatrix<T>> a_;
  double norm_inf_ = -1;
};

} // namespace atl
