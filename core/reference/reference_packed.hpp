#pragma once

#include <atoll/core/kernels.hpp>

namespace atl {

/// The kernels for packed matrices, through the table's own kernels for plain rows. Sweeps keep to their contract but
/// not to one pass: they are what faster tables are tested against.
template <class T>
class ReferencePackedKernels : public Kernels<T> {
 public:
  using Scalar = Accumulator<T>;

  void packed_multiply(const PackedMatrix<T>& a, LocalIndex k, const T* x, T* y) override;
  void packed_residual(const PackedMatrix<T>& a, const T* x, const T* b, T* r) override;
  void cg_sweep(CgSweep<T>& sweep, LocalIndex ghosts, const Scalar* alpha, const Scalar* beta) override;
  void cg_sweep_dots(CgSweep<T>& sweep, bool all) override;
  void cg_sweep_finish(CgSweep<T>& sweep, Scalar* out) override;
};

extern template class ReferencePackedKernels<float>;
extern template class ReferencePackedKernels<double>;

} // namespace atl
