#pragma once

#include <atoll/core/guarded/guarded_memory.hpp>
#include <atoll/core/reference/reference_kernels.hpp>

#include <initializer_list>

namespace atl {

/// The reference kernels on guarded memory: what a kernel will touch is checked, the memory opened, the
/// kernel run, the red zones checked, the memory closed.
template <class T>
class GuardedKernels final : public Kernels<T> {
 public:
  using Scalar = Accumulator<T>;
  explicit GuardedKernels(GuardedMemory& memory) : memory_(memory) {}

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

 private:
  using Ranges = std::span<const NamedRange>;
  template <class Kernel>
  void run(std::string_view name, Ranges ranges, const Kernel& kernel);
  template <class Kernel>
  void run(std::string_view name, std::initializer_list<NamedRange> ranges, const Kernel& kernel) {
    run(name, Ranges(ranges.begin(), ranges.size()), kernel);
  }
  /// Checks the arrays of a matrix, then runs.
  template <class Kernel>
  void run_on(std::string_view name, const CsrView<T>& a, std::initializer_list<NamedRange> ranges,
              const Kernel& kernel);
  /// One more than the largest of n indices; Error{internal} for a negative one.
  template <class Index>
  Offset end_of(std::string_view name, Offset n, const Index* index);
  /// Rows that a vector needs so that storage rows [first, last) can be its rows.
  Offset local_rows(std::string_view name, const CsrView<T>& a, LocalIndex first, LocalIndex last);

  GuardedMemory& memory_;
  ReferenceKernels<T> plain_;
};

extern template class GuardedKernels<float>;
extern template class GuardedKernels<double>;

} // namespace atl
