#pragma once

#include <atoll/core/reference/reference_kernels.hpp>

namespace atl {

/// Vector kernels on `threads` threads, with SIMD loops.
template <class T>
class HostVectorKernels : public ReferenceKernels<T> {
 public:
  using Scalar = Accumulator<T>;
  explicit HostVectorKernels(int threads) : threads_(threads) {}

  int threads() const override { return threads_; }
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
  void cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta, const PipelinedVectors<T>& v,
                           Scalar* out) override;

 private:
  int threads_;
};

/// Packed matrices: inner loops for the processor at hand, sweeps in one pass.
template <class T>
class HostPackedKernels : public HostVectorKernels<T> {
 public:
  using HostVectorKernels<T>::HostVectorKernels;
  using typename HostVectorKernels<T>::Scalar;

  bool packs() const override { return true; }
  void exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) override;
  void packed_multiply(const PackedMatrix<T>& a, LocalIndex k, const T* x, T* y) override;
  void packed_residual(const PackedMatrix<T>& a, const T* x, const T* b, T* r) override;
  void cg_sweep(CgSweep<T>& sweep, LocalIndex ghosts, const Scalar* alpha, const Scalar* beta) override;
  void cg_sweep_dots(CgSweep<T>& sweep, bool all) override;
  void cg_sweep_finish(CgSweep<T>& sweep, Scalar* out) override;

  using HostVectorKernels<T>::threads;
};

/// The whole table: vector kernels and sparse products. Inherited from the reference is what must run in
/// order (scatter_add: an index may occur twice) or handles single numbers.
template <class T>
class HostKernels final : public HostPackedKernels<T> {
 public:
  using HostPackedKernels<T>::HostPackedKernels;
  using typename HostPackedKernels<T>::Scalar;

  void csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x, T* y) override;
  void csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b, T* r) override;
  void csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) override;
  void csr_diagonal(const CsrView<T>& a, T* d) override;
  void csr_row_sums(const CsrView<T>& a, T* sums) override;
  void csr_row_abs_sums(const CsrView<T>& a, T* sums) override;
  void csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) override;
  using HostPackedKernels<T>::threads;
};

extern template class HostVectorKernels<float>;
extern template class HostVectorKernels<double>;
extern template class HostPackedKernels<float>;
extern template class HostPackedKernels<double>;
extern template class HostKernels<float>;
extern template class HostKernels<double>;

} // namespace atl
