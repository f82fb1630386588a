#pragma once
// Part of packed_loops_body.hpp: sums that stay in registers. The compiler is told the vectors, for left to itself it
// keeps arrays of sums in memory as often as not.

#include <atoll/core/host/packed_loops.hpp>

namespace atl::host {
namespace {

#if defined(__AVX512F__)
constexpr int register_bytes = 64;
#elif defined(__AVX__)
constexpr int register_bytes = 32;
#else
constexpr int register_bytes = 16;
#endif

template <int N>
struct Number {
  static constexpr int value = N;
  constexpr operator Offset() const { return N; }
};

/// W numbers, a power of two, in as few registers as hold them; one is a plain number.
template <class S, int W>
struct Lanes {
  static constexpr int width = W * int{sizeof(S)} < register_bytes ? W : register_bytes / int{sizeof(S)};
  static constexpr int parts = W / width;
  template <class T>
  using Vector [[gnu::vector_size(width * sizeof(T))]] = T;

  Vector<S> part[parts];

  Lanes() {
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) part[p] = Vector<S>{};
  }
  template <class T>
  static Vector<S> load(const T* x) {
    Vector<T> v;
    __builtin_memcpy(&v, x, sizeof v);
    return __builtin_convertvector(v, Vector<S>);
  }
  /// Adds a * x[0 .. W).
  template <class T>
  void add(S a, const T* x) {
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) part[p] += a * load(x + p * width);
  }
  void store(S* y) const {
#pragma GCC unroll 8
    for (int p = 0; p < parts; ++p) __builtin_memcpy(y + p * width, &part[p], sizeof part[p]);
  }
  S operator[](int i) const { return part[i / width][i % width]; }
};
template <class S>
struct Lanes<S, 1> {
  S sum = 0;
  template <class T>
  void add(S a, const T* x) {
    sum += a * S{*x};
  }
  void store(S* y) const { *y = sum; }
  S operator[](int) const { return sum; }
};

} // namespace
} // namespace atl::host
