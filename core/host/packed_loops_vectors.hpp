#pragma once
// Part of packed_loops_body.hpp: steps of the vectors of conjugate gradients, and their dots.

#include <atoll/core/host/packed_loops.hpp>

namespace atl::host {
namespace {

template <class T>
void direction(LocalIndex n, double beta, const T* u, T* p) {
#pragma omp simd
  for (LocalIndex i = 0; i < n; ++i) p[i] = static_cast<T>(u[i] + beta * p[i]);
}

template <class T>
void step(LocalIndex n, double alpha, ChunkScale<T> d, const T* w, const T* p, T* u, T* x) {
  if (d.each) {
#pragma omp simd
    for (LocalIndex i = 0; i < n; ++i) {
      u[i] = static_cast<T>(u[i] - alpha * (d.each[i] * w[i]));
      x[i] = static_cast<T>(x[i] + alpha * p[i]);
    }
    return;
  }
#pragma omp simd
  for (LocalIndex i = 0; i < n; ++i) {
    u[i] = static_cast<T>(u[i] - alpha * (d.uniform * w[i]));
    x[i] = static_cast<T>(x[i] + alpha * p[i]);
  }
}

template <class T, class Residual>
void three_dots(LocalIndex n, const T* w, const T* u, double* sums, const Residual& residual) {
  constexpr int lanes = 8;
  double rr[lanes] = {}, ru[lanes] = {}, wu[lanes] = {};
  LocalIndex i = 0;
  for (; i + lanes <= n; i += lanes) {
#pragma omp simd
    for (int l = 0; l < lanes; ++l) {
      const double ui = u[i + l], ri = residual(i + l);
      rr[l] += ri * ri;
      ru[l] += ri * ui;
      wu[l] += w[i + l] * ui;
    }
  }
  for (int l = 0; i < n; ++i, ++l) {
    const double ui = u[i], ri = residual(i);
    rr[l] += ri * ri;
    ru[l] += ri * ui;
    wu[l] += w[i] * ui;
  }
  sums[0] = sums[1] = sums[2] = 0;
  for (int l = 0; l < lanes; ++l) {
    sums[0] += rr[l];
    sums[1] += ru[l];
    sums[2] += wu[l];
  }
}

template <class T>
void dots(LocalIndex n, ChunkScale<T> d, const T* w, const T* u, double* sums) {
  if (d.each) return three_dots(n, w, u, sums, [=](LocalIndex i) { return double{u[i]} / double{d.each[i]}; });
  const double inverse = 1 / double{d.uniform};
  three_dots(n, w, u, sums, [=](LocalIndex i) { return double{u[i]} * inverse; });
}

} // namespace
} // namespace atl::host
