#pragma once

#include <atoll/core/cg_sweep.hpp>

#include <span>

namespace atl {

/// One dot product of a group that is computed in one pass.
template <class T>
struct DotPair {
  const T* x;
  const T* y;
};

/// The vectors of pipelined conjugate gradients: r, u = M^-1 r, w = A u, m = M^-1 w, n = A m; the direction p and what
/// is made of it: s = A p, q = M^-1 s, z = A q.
template <class T>
struct PipelinedVectors {
  const T *m, *n;
  T *x, *r, *u, *w, *p, *s, *q, *z;
};

/// The closed vocabulary of operations on one rank's data; solvers own no private kernel.
/// Pointers are memory of the executor whose table this is. Scalars that an iteration produces (alpha, beta, dots)
/// are one-element values in that memory, so that no kernel waits for the host.
/// Blocks of k vectors are interleaved: entry (i, c) is at i*k + c. Lengths `n` count scalars (rows times k).
/// Every comment ends with the scalars read + written for each row at k = 1, matrix entries apart.
template <class T>
class ATOLL_API Kernels {
 public:
  using Scalar = Accumulator<T>;

  Kernels() = default;
  Kernels(const Kernels&) = delete;
  Kernels& operator=(const Kernels&) = delete;
  virtual ~Kernels() = default;

  virtual int threads() const { return 1; } ///< that a kernel of this table runs on

  // ---- vectors
  virtual void fill(Offset n, T value, T* y) = 0;                              ///< y = value (0 + 1)
  virtual void copy(Offset n, const T* x, T* y) = 0;                           ///< y = x (1 + 1)
  virtual void scale(Offset n, const Scalar* alpha, T* x) = 0;                 ///< x = alpha x (1 + 1)
  virtual void axpy(Offset n, const Scalar* alpha, const T* x, T* y) = 0;      ///< y += alpha x (2 + 1)
  virtual void xpby(Offset n, const T* x, const Scalar* beta, T* y) = 0;       ///< y = x + beta y (2 + 1)
  virtual void subtract(Offset n, const T* x, const T* y, T* z) = 0;           ///< z = x - y (2 + 1)
  virtual void pointwise_multiply(Offset n, const T* d, const T* x, T* y) = 0; ///< y = d .* x (2 + 1)
  /// y = 1 / d (1 + 1). An entry of d that is zero, not finite, or whose inverse overflows, gives 1.
  virtual void pointwise_inverse(Offset n, const T* d, T* y) = 0;
  /// out[i] = x_i . y_i for at most 4 pairs in one pass; blockwise partial sums, so that the result does not
  /// depend on the number of threads.
  virtual void dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) = 0;
  /// Adds x_i y_i, each product rounded once, to an exact sum in host memory (2 + 0).
  virtual void exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) = 0;

  // ---- sparse products; rows [first, last) are storage rows
  /// y = A x on the rows given, for k vectors.
  virtual void csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x,
                            T* y) = 0;
  /// r = b - A x on the rows given (k = 1).
  virtual void csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b, T* r) = 0;
  /// y += A' x over all rows, for k vectors; y has a.columns rows.
  virtual void csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) = 0;
  virtual void csr_diagonal(const CsrView<T>& a, T* d) = 0;        ///< d[i] = a_ii, zero where none is stored
  virtual void csr_row_sums(const CsrView<T>& a, T* sums) = 0;     ///< sums[i] = sum_j a_ij
  virtual void csr_row_abs_sums(const CsrView<T>& a, T* sums) = 0; ///< sums[i] = sum_j |a_ij|

  /// y += factor A x for k vectors, on the rows that row_index names; all rows of `a`.
  virtual void csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) = 0;

  // ---- packed matrices; only where packs()
  /// Whether this table works on packed matrices, which live in host memory. The others throw Error{internal}.
  virtual bool packs() const { return false; }
  /// y = A x for k vectors.
  virtual void packed_multiply(const PackedMatrix<T>& a, LocalIndex k, const T* x, T* y);
  /// r = b - A x (k = 1).
  virtual void packed_residual(const PackedMatrix<T>& a, const T* x, const T* b, T* r);

  // ---- halo
  /// buffer[(i, c)] = x[(index[i], c)].
  virtual void gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) = 0;
  /// x[(index[i], c)] += buffer[(i, c)]; an index may occur more than once.
  virtual void scatter_add(Offset n, const LocalIndex* index, LocalIndex k, const T* buffer, T* x) = 0;

  // ---- conjugate gradients
  /// Chronopoulos-Gear step: p = u + beta p; s = w + beta s; x += alpha p; r -= alpha s (6 + 4).
  virtual void cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p, T* s, T* x,
                         T* r) = 0;
  /// Ghysels-Vanroose step: z = n + beta z; q = m + beta q; s = w + beta s; p = u + beta p; x += alpha p; r -= alpha s;
  /// u -= alpha q; w -= alpha z; and with the new ones out = {(r, r), (r, u), (w, u)}, summed as by dots() (10 + 8).
  virtual void cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta, const PipelinedVectors<T>& v,
                                   Scalar* out) = 0;
  /// The same step on a packed matrix in one pass, in parts around a halo exchange of u. First all rows, ghosts too:
  /// p = u + beta p; then on owned rows u -= alpha d .* (A p), x += alpha p. (3 + 3, and d unless it is uniform)
  virtual void cg_sweep(CgSweep<T>& sweep, LocalIndex ghosts, const Scalar* alpha, const Scalar* beta);
  /// Its dots, as far as they need no ghosts of u and were not done by cg_sweep(); `all`: all of them, at the start.
  virtual void cg_sweep_dots(CgSweep<T>& sweep, bool all);
  /// What ghosts of u add, and the sums: out = {(r, r), (r, u), (A u, u)} with r = u / d; into sweep.exact where set.
  virtual void cg_sweep_finish(CgSweep<T>& sweep, Scalar* out);
  /// The scalars of that step. dots = {gamma = (r, u), delta = (w, u)}; state = {gamma, alpha} of the step
  /// before (gamma 0 at the first). Sets beta = gamma / gamma_old, alpha = gamma / (delta - beta gamma /
  /// alpha_old), and state; curvature = gamma / alpha = p'Ap of the step. Where that is zero or not finite the
  /// step is undefined: alpha, beta and curvature are zero.
  virtual void cg_scalars(const Scalar* dots, Scalar* state, Scalar* alpha, Scalar* beta, Scalar* curvature) = 0;
  /// out[0] = numerator / denominator, out[1] = -out[0]; both 0 where the denominator is 0.
  virtual void quotient(const Scalar* numerator, const Scalar* denominator, Scalar* out) = 0;
};

extern template class Kernels<float>;
extern template class Kernels<double>;

} // namespace atl
