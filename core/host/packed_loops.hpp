#pragma once

#include <atoll/core/packed_matrix.hpp>

namespace atl::host {

/// Levels that exact_levels() has room for.
constexpr int most_levels = 8;

/// What the diagonal preconditioner is on a chunk: one number, or one a row.
template <class T>
struct ChunkScale {
  T uniform = 1;           ///< where each is null
  const T* each = nullptr; ///< of the chunk's rows
};

/// The inner loops of packed matrices, compiled for several instruction sets; all give the same bits, for none
/// contracts a product and a sum or changes the order of one row's or one lane's terms.
template <class T>
struct PackedLoops {
  /// y = A x on the rows of a chunk; y has room for 8 more rows, which may be overwritten.
  void (*product)(const PackedView<T>& a, const T* x, T* y);
  /// The same with products and sums in double.
  void (*accurate_product)(const PackedView<T>& a, const T* x, double* y);
  /// The same for k interleaved vectors: entry (row, c) stands at row * k + c. Each column has the bits that it gets
  /// alone. Nothing is written but the rows of the chunk.
  void (*product_columns)(const PackedView<T>& a, LocalIndex k, const T* x, T* y);
  /// p = u + beta p (16 + 8 bytes a row).
  void (*direction)(LocalIndex n, double beta, const T* u, T* p);
  /// u -= alpha d .* w; x += alpha p (24 + 16, w from the cache).
  void (*step)(LocalIndex n, double alpha, ChunkScale<T> d, const T* w, const T* p, T* u, T* x);
  /// With r = u / d: sums[0..2] = (r, r), (r, u), (w, u) (from the cache).
  void (*dots)(LocalIndex n, ChunkScale<T> d, const T* w, const T* u, double* sums);
  /// Their terms instead of the sums: n each of (r, r), (r, u), (w, u), one after the other. Always by division, so that
  /// a term does not depend on the rest of the chunk.
  void (*dot_terms)(LocalIndex n, ChunkScale<T> d, const T* w, const T* u, double* terms);
  /// terms = x .* y.
  void (*products)(LocalIndex n, const T* x, const T* y, double* terms);
  /// Adds up to 1024 terms exactly: sums[0 .. levels) together are the sum of what was taken from the terms; levels is
  /// returned. What is left stays in `terms`; `rest` tells whether that is anything.
  int (*exact_levels)(LocalIndex n, double* terms, double* sums, bool* rest);
};

/// The widest set that this processor has.
template <class T>
const PackedLoops<T>& packed_loops();
/// Those of one set: "baseline", "x86-64-v3", "x86-64-v4"; null where the processor lacks it.
template <class T>
ATOLL_API const PackedLoops<T>* packed_loops(std::string_view set);
ATOLL_API std::string_view packed_loops_name();

} // namespace atl::host
