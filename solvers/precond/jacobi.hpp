#pragma once

#include <atoll/core/kernels.hpp>
#include <atoll/solvers/preconditioner.hpp>

namespace atl {

/// Division by the diagonal: z_i = r_i / a_ii. Rows whose diagonal is zero or missing are left as they are.
/// Source     Saad, Iterative Methods for Sparse Linear Systems (2003), section 10.2.
template <class T>
class Jacobi final : public Preconditioner<T> {
 public:
  std::string name() const override { return "jacobi"; }
  void setup(const DSparseMatrix<T>& a) override {
    inverse_ = a.diagonal();
    kernels().pointwise_inverse(inverse_.owned_size(), inverse_.data(), inverse_.data());
  }
  void apply(const DVector<T>& r, DVector<T>& z) override {
    kernels().pointwise_multiply(r.owned_size(), inverse_.data(), r.data(), z.data());
  }
  const DVector<T>* diagonal() const override { return &inverse_; }
  std::size_t bytes() const override { return inverse_.map() ? inverse_.bytes() : 0; }

 private:
  Kernels<T>& kernels() { return inverse_.executor()->template kernels<T>(); }
  DVector<T> inverse_;
};

} // namespace atl
