#pragma once
// Part of packed_loops_body.hpp: dots whose terms are added exactly.

#include <atoll/core/host/packed_loops.hpp>

namespace atl::host {
namespace {

template <class T>
void dot_terms(LocalIndex n, ChunkScale<T> d, const T* w, const T* u, double* terms) {
  double *rr = terms, *ru = terms + n, *wu = terms + 2 * n;
  const auto put = [=](LocalIndex i, double di) {
    const double ui = u[i], ri = ui / di;
    rr[i] = ri * ri;
    ru[i] = ri * ui;
    wu[i] = w[i] * ui;
  };
  if (d.each) {
#pragma omp simd
    for (LocalIndex i = 0; i < n; ++i) put(i, d.each[i]);
    return;
  }
#pragma omp simd
  for (LocalIndex i = 0; i < n; ++i) put(i, d.uniform);
}

template <class T>
void products(LocalIndex n, const T* x, const T* y, double* terms) {
#pragma omp simd
  for (LocalIndex i = 0; i < n; ++i) terms[i] = double{x[i]} * double{y[i]};
}

/// Rump, Ogita & Oishi, SIAM J. Sci. Comput. 31 (2008) 189, algorithm 3.3: the leading bits of all terms, cut at one
/// place, add up without rounding; what is left is at most 2^-40 of the largest and goes to the next level.
inline int exact_levels(LocalIndex n, double* terms, double* sums, bool* rest) {
  constexpr int lanes = 8;
  const auto for_lanes = [&](const auto& body) {
    LocalIndex i = 0;
    for (; i + lanes <= n; i += lanes) {
#pragma omp simd
      for (int l = 0; l < lanes; ++l) body(i + l, l);
    }
    for (int l = 0; i < n; ++i, ++l) body(i, l);
  };
  double largest = 0;
  bool finite = true;
  {
    double most[lanes] = {}, zero[lanes] = {};
    for_lanes([&](LocalIndex i, int l) {
      const double size = terms[i] < 0 ? -terms[i] : terms[i];
      most[l] = size > most[l] ? size : most[l];
      zero[l] += 0 * terms[i]; // NaN once a term is not finite
    });
    for (int l = 0; l < lanes; ++l) {
      largest = most[l] > largest ? most[l] : largest;
      finite = finite && zero[l] == 0;
    }
  }
  int level = 0;
  // Beyond this range the cut itself would over- or underflow.
  while (finite && largest < 0x1p1000 && largest > 0x1p-900 && level < most_levels) {
    union {
      double value;
      std::uint64_t bits;
    } power{largest};
    power.bits &= 0x7ff0000000000000u;
    const double cut = power.value * 0x1p13; // above 2^12 times the largest
    double sum[lanes] = {}, most[lanes] = {};
    for_lanes([&](LocalIndex i, int l) {
      const double leading = (cut + terms[i]) - cut;
      const double left = terms[i] - leading, size = left < 0 ? -left : left;
      terms[i] = left;
      sum[l] += leading;
      most[l] = size > most[l] ? size : most[l];
    });
    double total = 0;
    largest = 0;
    for (int l = 0; l < lanes; ++l) {
      total += sum[l];
      largest = most[l] > largest ? most[l] : largest;
    }
    sums[level++] = total;
  }
  *rest = largest != 0 || !finite;
  return level;
}

} // namespace
} // namespace atl::host
