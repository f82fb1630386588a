#include <atoll/core/guarded/guarded_kernels.hpp>

#include <fmt/format.h>
#include <vector>

namespace atl {

template <class T>
template <class Kernel>
void GuardedKernels<T>::run(std::string_view name, Ranges ranges, const Kernel& kernel) {
  for (const NamedRange& range : ranges) memory_.require_inside(name, range);
  const GuardedMemory::Open open(memory_);
  kernel();
  for (const NamedRange& range : ranges) memory_.check_zones(name, range);
}

template <class T>
template <class Kernel>
void GuardedKernels<T>::run_on(std::string_view name, const CsrView<T>& a, std::initializer_list<NamedRange> ranges,
                               const Kernel& kernel) {
  std::vector<NamedRange> all(ranges);
  if (a.rows > 0) {
    all.push_back(named("row_begin", a.row_begin, Offset{a.rows} + 1));
    Offset entries = 0;
    run(name, Ranges(&all.back(), 1), [&] { entries = a.row_begin[a.rows]; });
    all.push_back(named("column", a.column, entries));
    all.push_back(named("value", a.value, entries));
    if (a.row_index) all.push_back(named("row_index", a.row_index, a.rows));
    const Offset columns = end_of(name, entries, a.column);
    if (columns > a.columns)
      throw Error(ErrorKind::internal, fmt::format("'{}' was given a matrix of {} columns with an entry in column {}",
                                                   name, a.columns, columns - 1));
  }
  run(name, all, kernel);
}

template <class T>
template <class Index>
Offset GuardedKernels<T>::end_of(std::string_view name, Offset n, const Index* index) {
  Offset end = 0;
  run(name, {named("index", index, n)}, [&] {
    for (Offset i = 0; i < n; ++i) {
      if (index[i] < 0)
        throw Error(ErrorKind::internal, fmt::format("'{}' was given the negative index {}", name, index[i]));
      end = std::max(end, Offset{index[i]} + 1);
    }
  });
  return end;
}

template <class T>
Offset GuardedKernels<T>::local_rows(std::string_view name, const CsrView<T>& a, LocalIndex first, LocalIndex last) {
  if (first >= last) return 0;
  return a.row_index ? end_of(name, last - first, a.row_index + first) : Offset{last};
}

// ---- vectors

template <class T>
void GuardedKernels<T>::fill(Offset n, T value, T* y) {
  run("fill", {named("y", y, n)}, [&] { plain_.fill(n, value, y); });
}

template <class T>
void GuardedKernels<T>::copy(Offset n, const T* x, T* y) {
  run("copy", {named("x", x, n), named("y", y, n)}, [&] { plain_.copy(n, x, y); });
}

template <class T>
void GuardedKernels<T>::scale(Offset n, const Scalar* alpha, T* x) {
  run("scale", {named("alpha", alpha, 1), named("x", x, n)}, [&] { plain_.scale(n, alpha, x); });
}

template <class T>
void GuardedKernels<T>::axpy(Offset n, const Scalar* alpha, const T* x, T* y) {
  run("axpy", {named("alpha", alpha, 1), named("x", x, n), named("y", y, n)}, [&] { plain_.axpy(n, alpha, x, y); });
}

template <class T>
void GuardedKernels<T>::xpby(Offset n, const T* x, const Scalar* beta, T* y) {
  run("xpby", {named("beta", beta, 1), named("x", x, n), named("y", y, n)}, [&] { plain_.xpby(n, x, beta, y); });
}

template <class T>
void GuardedKernels<T>::subtract(Offset n, const T* x, const T* y, T* z) {
  run("subtract", {named("x", x, n), named("y", y, n), named("z", z, n)}, [&] { plain_.subtract(n, x, y, z); });
}

template <class T>
void GuardedKernels<T>::pointwise_multiply(Offset n, const T* d, const T* x, T* y) {
  run("pointwise_multiply", {named("d", d, n), named("x", x, n), named("y", y, n)},
      [&] { plain_.pointwise_multiply(n, d, x, y); });
}

template <class T>
void GuardedKernels<T>::pointwise_inverse(Offset n, const T* d, T* y) {
  run("pointwise_inverse", {named("d", d, n), named("y", y, n)}, [&] { plain_.pointwise_inverse(n, d, y); });
}

template <class T>
void GuardedKernels<T>::dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) {
  std::vector<NamedRange> ranges{named("out", out, std::ssize(pairs))};
  for (const auto& [x, y] : pairs) {
    ranges.push_back(named("x", x, n));
    ranges.push_back(named("y", y, n));
  }
  run("dots", ranges, [&] { plain_.dots(n, pairs, out); });
}

// ---- sparse products

template <class T>
void GuardedKernels<T>::exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) {
  run("exact_dot", {named("x", x, n), named("y", y, n)}, [&] { plain_.exact_dot(n, x, y, sum); });
}

template <class T>
void GuardedKernels<T>::csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x,
                                     T* y) {
  constexpr auto name = "csr_multiply";
  if (first >= last) return;
  run_on(name, a, {named("x", x, Offset{a.columns} * k), named("y", y, local_rows(name, a, first, last) * k)},
         [&] { plain_.csr_multiply(a, first, last, k, x, y); });
}

template <class T>
void GuardedKernels<T>::csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) {
  constexpr auto name = "csr_multiply_add";
  run_on(name, a, {named("x", x, Offset{a.columns} * k), named("y", y, local_rows(name, a, 0, a.rows) * k)},
         [&] { plain_.csr_multiply_add(a, factor, k, x, y); });
}

template <class T>
void GuardedKernels<T>::csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b,
                                     T* r) {
  constexpr auto name = "csr_residual";
  if (first >= last) return;
  const Offset rows = local_rows(name, a, first, last);
  run_on(name, a, {named("x", x, a.columns), named("b", b, rows), named("r", r, rows)},
         [&] { plain_.csr_residual(a, first, last, x, b, r); });
}

template <class T>
void GuardedKernels<T>::csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) {
  constexpr auto name = "csr_multiply_transposed";
  run_on(name, a, {named("x", x, local_rows(name, a, 0, a.rows) * k), named("y", y, Offset{a.columns} * k)},
         [&] { plain_.csr_multiply_transposed(a, k, x, y); });
}

template <class T>
void GuardedKernels<T>::csr_diagonal(const CsrView<T>& a, T* d) {
  constexpr auto name = "csr_diagonal";
  run_on(name, a, {named("d", d, local_rows(name, a, 0, a.rows))}, [&] { plain_.csr_diagonal(a, d); });
}

template <class T>
void GuardedKernels<T>::csr_row_sums(const CsrView<T>& a, T* sums) {
  constexpr auto name = "csr_row_sums";
  run_on(name, a, {named("sums", sums, local_rows(name, a, 0, a.rows))}, [&] { plain_.csr_row_sums(a, sums); });
}

template <class T>
void GuardedKernels<T>::csr_row_abs_sums(const CsrView<T>& a, T* sums) {
  constexpr auto name = "csr_row_abs_sums";
  run_on(name, a, {named("sums", sums, local_rows(name, a, 0, a.rows))}, [&] { plain_.csr_row_abs_sums(a, sums); });
}

// ---- halo

template <class T>
void GuardedKernels<T>::gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) {
  constexpr auto name = "gather";
  run(name, {named("index", index, n), named("x", x, end_of(name, n, index) * k), named("buffer", buffer, n * k)},
      [&] { plain_.gather(n, index, k, x, buffer); });
}

template <class T>
void GuardedKernels<T>::scatter_add(Offset n, const LocalIndex* index, LocalIndex k, const T* buffer, T* x) {
  constexpr auto name = "scatter_add";
  run(name, {named("index", index, n), named("buffer", buffer, n * k), named("x", x, end_of(name, n, index) * k)},
      [&] { plain_.scatter_add(n, index, k, buffer, x); });
}

// ---- conjugate gradients

template <class T>
void GuardedKernels<T>::cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p,
                                  T* s, T* x, T* r) {
  run("cg_update",
      {named("alpha", alpha, 1), named("beta", beta, 1), named("u", u, n), named("w", w, n), named("p", p, n),
       named("s", s, n), named("x", x, n), named("r", r, n)},
      [&] { plain_.cg_update(n, alpha, beta, u, w, p, s, x, r); });
}

template <class T>
void GuardedKernels<T>::cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta,
                                            const PipelinedVectors<T>& v, Scalar* out) {
  run("cg_pipelined_update",
      {named("alpha", alpha, 1), named("beta", beta, 1), named("m", v.m, n), named("n", v.n, n), named("x", v.x, n),
       named("r", v.r, n), named("u", v.u, n), named("w", v.w, n), named("p", v.p, n), named("s", v.s, n),
       named("q", v.q, n), named("z", v.z, n), named("out", out, 3)},
      [&] { plain_.cg_pipelined_update(n, alpha, beta, v, out); });
}

template <class T>
void GuardedKernels<T>::cg_scalars(const Scalar* dots, Scalar* state, Scalar* alpha, Scalar* beta,
                                   Scalar* curvature) {
  run("cg_scalars",
      {named("dots", dots, 2), named("state", state, 2), named("alpha", alpha, 1), named("beta", beta, 1),
       named("curvature", curvature, 1)},
      [&] { plain_.cg_scalars(dots, state, alpha, beta, curvature); });
}

template <class T>
void GuardedKernels<T>::quotient(const Scalar* numerator, const Scalar* denominator, Scalar* out) {
  run("quotient", {named("numerator", numerator, 1), named("denominator", denominator, 1), named("out", out, 2)},
      [&] { plain_.quotient(numerator, denominator, out); });
}

template class GuardedKernels<float>;
template class GuardedKernels<double>;

} // namespace atl
