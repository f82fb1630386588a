#include <atoll/core/reference/reference_packed.hpp>

namespace atl {

// Packed matrices chunk by chunk, unpacked into plain rows.

namespace {

template <class T, class Body>
void for_chunks(const PackedMatrix<T>& a, const Body& body) {
  ChunkRows<T> rows;
  for (std::size_t c = 0; c < a.chunks().size(); ++c) {
    a.unpack(c, rows);
    body(a.chunks()[c].first, rows.view(a.columns()));
  }
}

/// y = A x with the ghosts' part.
template <class T>
std::vector<T> split_multiply(Kernels<T>& kernels, const SplitMatrix<T>& a, const T* x) {
  std::vector<T> y(static_cast<std::size_t>(a.owned.rows()));
  kernels.packed_multiply(a.owned, 1, x, y.data());
  kernels.csr_multiply_add(a.halo.view(), T{1}, 1, x, y.data());
  return y;
}

} // namespace

template <class T>
void ReferencePackedKernels<T>::packed_multiply(const PackedMatrix<T>& a, LocalIndex k, const T* x, T* y) {
  for_chunks(a, [&](LocalIndex first, const CsrView<T>& rows) {
    this->csr_multiply(rows, 0, rows.rows, k, x, y + Offset{first} * k);
  });
}

template <class T>
void ReferencePackedKernels<T>::packed_residual(const PackedMatrix<T>& a, const T* x, const T* b, T* r) {
  for_chunks(a, [&](LocalIndex first, const CsrView<T>& rows) {
    this->csr_residual(rows, 0, rows.rows, x, b + first, r + first);
  });
}

template <class T>
void ReferencePackedKernels<T>::cg_sweep(CgSweep<T>& s, LocalIndex ghosts, const Scalar* alpha, const Scalar* beta) {
  const LocalIndex n = s.a->owned.rows();
  for (LocalIndex i = 0; i < n + ghosts; ++i) s.p[i] = static_cast<T>(s.u[i] + *beta * s.p[i]);
  const std::vector<T> ap = split_multiply(*this, *s.a, s.p);
  for (LocalIndex i = 0; i < n; ++i) {
    s.u[i] = static_cast<T>(s.u[i] - *alpha * ((s.d ? s.d[i] : T{1}) * ap[static_cast<std::size_t>(i)]));
    s.x[i] = static_cast<T>(s.x[i] + *alpha * s.p[i]);
  }
}

// The dots need the ghosts of u, so all of them are left to the end.
template <class T>
void ReferencePackedKernels<T>::cg_sweep_dots(CgSweep<T>&, bool) {}

template <class T>
void ReferencePackedKernels<T>::cg_sweep_finish(CgSweep<T>& s, Scalar* out) {
  const std::vector<T> w = split_multiply(*this, *s.a, s.u);
  if (!s.exact) out[0] = out[1] = out[2] = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const Scalar u = s.u[i], r = s.d ? u / Scalar{s.d[i]} : u;
    if (s.exact) {
      s.exact[0].add(r * r);
      s.exact[1].add(r * u);
      s.exact[2].add(Scalar{w[i]} * u);
      continue;
    }
    out[0] += r * r;
    out[1] += r * u;
    out[2] += Scalar{w[i]} * u;
  }
}

template class ReferencePackedKernels<float>;
template class ReferencePackedKernels<double>;

} // namespace atl
