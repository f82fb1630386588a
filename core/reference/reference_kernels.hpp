#pragma once

#include <atoll/core/reference/reference_packed.hpp>

namespace atl {

/// Every kernel as the plainest loop that says what it does: the oracle of tests, and the base from which
/// other tables on host memory inherit what cannot be made faster.
template <class T>
class ReferenceKernels : public ReferencePackedKernels<T> {
 public:
  using Scalar = Accumulator<T>;

  void fill(Offset n, T value, T* y) override;
  void copy(Offset n, const T* x, T* y) override;
  void scale(Offset n, const Scalar* alpha, T* x) override;
  void axpy(Offset n, const Scalar* alpha, const T* x, T* y) override;
  void xpby(Offset n, const T* x, const Scalar* beta, T* y) override;
  void subtract(Offset n, const T* x, const T* y, T* z) override;
  void pointwise_multiply(Offset n, const T* d, const T* x, T* y) override;
  void pointwise_inverse(Offset n, const T* d, T* y) override;
  void dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) override;
  void exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) override;

  void csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x, T* y) override;
  void csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b, T* r) override;
  void csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) override;
  void csr_diagonal(const CsrView<T>& a, T* d) override;
  void csr_row_sums(const CsrView<T>& a, T* sums) override;
  void csr_row_abs_sums(const CsrView<T>& a, T* sums) override;
  void csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) override;

  void gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) override;
  void scatter_add(Offset n, const LocalIndex* index, LocalIndex k, const T* buffer, T* x) override;

  void cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p, T* s, T* x,
                 T* r) override;
  void cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta, const PipelinedVectors<T>& v,
                           Scalar* out) override;
  void cg_scalars(const Scalar* dots, Scalar* state, Scalar* alpha, Scalar* beta, Scalar* curvature) override;
  void quotient(const Scalar* numerator, const Scalar* denominator, Scalar* out) override;
};

extern template class ReferenceKernels<float>;
extern template class ReferenceKernels<double>;

} // namespace atl
