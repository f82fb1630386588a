#pragma once

#include <atoll/core/reference/reference_kernels.hpp>

namespace atl {

/// Vector kernels on `threads` threads, with SIMD loops.
template <class T>
class HostVectorKernels : public ReferenceKernels<T> {
 public:
  using Scalar = Accumulator<T>;
  explicit HostVectorKernels(int threads) : threads_(threads) {}

  void fill(Offset n, T value, T* y) override;
  void copy(Offset n, const T* x, T* y) override;
  void scale(Offset n, const Scalar* alpha, T* x) override;
  void axpy(Offset n, const Scalar* alpha, const T* x, T* y) override;
  void xpby(Offset n, const T* x, const Scalar* beta, T* y) override;
  void subtract(Offset n, const T* x, const T* y, T* z) override;
  void pointwise_multiply(Offset n, const T* d, const T* x, T* y) override;
  void pointwise_inverse(Offset n, const T* d, T* y) override;
  void dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) override;
  void gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) override;
  void cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p, T* s, T* x,
                 T* r) override;

 protected:
  int threads() const { return threads_; }

 private:
  int threads_;
};

/// The whole table: vector kernels and sparse products. Inherited from the reference is what must run in
/// order (scatter_add: an index may occur twice) or handles single numbers.
template <class T>
class HostKernels final : public HostVectorKernels<T> {
 public:
  using HostVectorKernels<T>::HostVectorKernels;
  using typename HostVectorKernels<T>::Scalar;

  void csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x, T* y) override;
  void csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b, T* r) override;
  void csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) override;
  void csr_diagonal(const CsrView<T>& a, T* d) override;
  void csr_row_sums(const CsrView<T>& a, T* sums) override;
  void csr_row_abs_sums(const CsrView<T>& a, T* sums) override;

 private:
  using HostVectorKernels<T>::threads;
};

extern template class HostVectorKernels<float>;
extern template class HostVectorKernels<double>;
extern template class HostKernels<float>;
extern template class HostKernels<double>;

} // namespace atl
