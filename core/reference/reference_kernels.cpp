#include <atoll/core/reference/reference_kernels.hpp>

#include <cmath>

namespace atl {

namespace {

template <class T>
LocalIndex local_row(const CsrView<T>& a, LocalIndex storage_row) {
  return a.row_index ? a.row_index[storage_row] : storage_row;
}

} // namespace

// ---- vectors

template <class T>
void ReferenceKernels<T>::fill(Offset n, T value, T* y) {
  for (Offset i = 0; i < n; ++i) y[i] = value;
}

template <class T>
void ReferenceKernels<T>::copy(Offset n, const T* x, T* y) {
  for (Offset i = 0; i < n; ++i) y[i] = x[i];
}

template <class T>
void ReferenceKernels<T>::scale(Offset n, const Scalar* alpha, T* x) {
  for (Offset i = 0; i < n; ++i) x[i] = static_cast<T>(*alpha * x[i]);
}

template <class T>
void ReferenceKernels<T>::axpy(Offset n, const Scalar* alpha, const T* x, T* y) {
  for (Offset i = 0; i < n; ++i) y[i] = static_cast<T>(y[i] + *alpha * x[i]);
}

template <class T>
void ReferenceKernels<T>::xpby(Offset n, const T* x, const Scalar* beta, T* y) {
  for (Offset i = 0; i < n; ++i) y[i] = static_cast<T>(x[i] + *beta * y[i]);
}

template <class T>
void ReferenceKernels<T>::subtract(Offset n, const T* x, const T* y, T* z) {
  for (Offset i = 0; i < n; ++i) z[i] = x[i] - y[i];
}

template <class T>
void ReferenceKernels<T>::pointwise_multiply(Offset n, const T* d, const T* x, T* y) {
  for (Offset i = 0; i < n; ++i) y[i] = d[i] * x[i];
}

template <class T>
void ReferenceKernels<T>::pointwise_inverse(Offset n, const T* d, T* y) {
  for (Offset i = 0; i < n; ++i) {
    const T inverse = 1 / d[i];
    y[i] = std::isfinite(d[i]) && std::isfinite(inverse) ? inverse : T{1};
  }
}

template <class T>
void ReferenceKernels<T>::dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) {
  for (std::size_t d = 0; d < pairs.size(); ++d) {
    Scalar sum = 0;
    for (Offset i = 0; i < n; ++i) sum += Scalar{pairs[d].x[i]} * Scalar{pairs[d].y[i]};
    out[d] = sum;
  }
}

template <class T>
void ReferenceKernels<T>::exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) {
  for (Offset i = 0; i < n; ++i) sum.add(double{x[i]} * double{y[i]});
}

// ---- sparse products

template <class T>
void ReferenceKernels<T>::csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k,
                                       const T* x, T* y) {
  for (LocalIndex row = first; row < last; ++row)
    for (LocalIndex c = 0; c < k; ++c) {
      T sum = 0;
      for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e)
        sum += a.value[e] * x[Offset{a.column[e]} * k + c];
      y[Offset{local_row(a, row)} * k + c] = sum;
    }
}

template <class T>
void ReferenceKernels<T>::csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b,
                                       T* r) {
  for (LocalIndex row = first; row < last; ++row) {
    Scalar sum = b[local_row(a, row)];
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e)
      sum -= Scalar{a.value[e]} * Scalar{x[a.column[e]]};
    r[local_row(a, row)] = static_cast<T>(sum);
  }
}

template <class T>
void ReferenceKernels<T>::csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) {
  for (LocalIndex row = 0; row < a.rows; ++row)
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e)
      for (LocalIndex c = 0; c < k; ++c)
        y[Offset{a.column[e]} * k + c] += a.value[e] * x[Offset{local_row(a, row)} * k + c];
}

template <class T>
void ReferenceKernels<T>::csr_diagonal(const CsrView<T>& a, T* d) {
  for (LocalIndex row = 0; row < a.rows; ++row) {
    const LocalIndex i = local_row(a, row);
    d[i] = 0;
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e)
      if (a.column[e] == i) d[i] = a.value[e];
  }
}

template <class T>
void ReferenceKernels<T>::csr_row_sums(const CsrView<T>& a, T* sums) {
  for (LocalIndex row = 0; row < a.rows; ++row) {
    Scalar sum = 0;
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e) sum += Scalar{a.value[e]};
    sums[local_row(a, row)] = static_cast<T>(sum);
  }
}

template <class T>
void ReferenceKernels<T>::csr_row_abs_sums(const CsrView<T>& a, T* sums) {
  for (LocalIndex row = 0; row < a.rows; ++row) {
    Scalar sum = 0;
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e) sum += std::abs(Scalar{a.value[e]});
    sums[local_row(a, row)] = static_cast<T>(sum);
  }
}

template <class T>
void ReferenceKernels<T>::csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) {
  for (LocalIndex s = 0; s < a.rows; ++s)
    for (LocalIndex c = 0; c < k; ++c) {
      T sum = 0;
      for (Offset e = a.row_begin[s]; e < a.row_begin[s + 1]; ++e) sum += a.value[e] * x[Offset{a.column[e]} * k + c];
      y[Offset{local_row(a, s)} * k + c] += factor * sum;
    }
}

// ---- halo

template <class T>
void ReferenceKernels<T>::gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) {
  for (Offset i = 0; i < n; ++i)
    for (LocalIndex c = 0; c < k; ++c) buffer[i * k + c] = x[Offset{index[i]} * k + c];
}

template <class T>
void ReferenceKernels<T>::scatter_add(Offset n, const LocalIndex* index, LocalIndex k, const T* buffer, T* x) {
  for (Offset i = 0; i < n; ++i)
    for (LocalIndex c = 0; c < k; ++c) x[Offset{index[i]} * k + c] += buffer[i * k + c];
}

// ---- conjugate gradients

template <class T>
void ReferenceKernels<T>::cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p,
                                    T* s, T* x, T* r) {
  for (Offset i = 0; i < n; ++i) {
    p[i] = static_cast<T>(u[i] + *beta * p[i]);
    s[i] = static_cast<T>(w[i] + *beta * s[i]);
    x[i] = static_cast<T>(x[i] + *alpha * p[i]);
    r[i] = static_cast<T>(r[i] - *alpha * s[i]);
  }
}

template <class T>
void ReferenceKernels<T>::cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta,
                                              const PipelinedVectors<T>& v, Scalar* out) {
  xpby(n, v.n, beta, v.z);
  xpby(n, v.m, beta, v.q);
  xpby(n, v.w, beta, v.s);
  xpby(n, v.u, beta, v.p);
  const Scalar minus_alpha = -*alpha;
  axpy(n, alpha, v.p, v.x);
  axpy(n, &minus_alpha, v.s, v.r);
  axpy(n, &minus_alpha, v.q, v.u);
  axpy(n, &minus_alpha, v.z, v.w);
  const DotPair<T> pairs[] = {{v.r, v.r}, {v.r, v.u}, {v.w, v.u}};
  dots(n, pairs, out);
}

template <class T>
void ReferenceKernels<T>::cg_scalars(const Scalar* dots, Scalar* state, Scalar* alpha, Scalar* beta,
                                     Scalar* curvature) {
  const Scalar gamma = dots[0], delta = dots[1], gamma_old = state[0], alpha_old = state[1];
  const bool first_step = gamma_old == 0;
  const Scalar ratio = first_step ? 0 : gamma / gamma_old;
  const Scalar pAp = first_step ? delta : delta - ratio * gamma / alpha_old;
  const bool defined = std::isfinite(pAp) && pAp != 0;
  *beta = defined ? ratio : 0;
  *alpha = defined ? gamma / pAp : 0;
  *curvature = defined ? pAp : 0;
  state[0] = gamma;
  state[1] = *alpha;
}

template <class T>
void ReferenceKernels<T>::quotient(const Scalar* numerator, const Scalar* denominator, Scalar* out) {
  out[0] = *denominator == 0 ? 0 : *numerator / *denominator;
  out[1] = -out[0];
}

template class ReferenceKernels<float>;
template class ReferenceKernels<double>;

} // namespace atl
