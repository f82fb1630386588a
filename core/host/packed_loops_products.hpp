#pragma once
// Part of packed_loops_body.hpp: a matrix times one vector.

#include <atoll/core/host/packed_loops_widths.hpp>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace atl::host {
namespace {

// Sums are of type S, which is T or wider.

/// Rows that are worked on at once, so that their sums stay in registers.
template <class S>
constexpr int tile = 128 / sizeof(S);

/// Calls body with the number of rows of a group.
template <class Body>
void with_rows(int rows, const Body& body) {
  if (rows == 1)
    body(Number<1>{});
  else if (rows == 2)
    body(Number<2>{});
  else if (rows == 3)
    body(Number<3>{});
  else
    body(Number<4>{});
}

/// Groups of Rows rows that share their columns, Groups of them at once, times W of k interleaved vectors. A group's
/// rows work side by side, three of them in four lanes, of which the last is not stored. The groups share their values
/// too where there are several.
template <int Rows, int Groups, int W, class Columns, class Vals, class K, class T, class S>
void group_tile(int n, Columns column, Vals value, std::uint32_t c, std::uint32_t v, K k, const T* x, S* y) {
  Lanes<S, Rows == 3 ? 4 : Rows> sum[Groups][W];
  for (int j = 0; j < n; ++j, v += Rows) {
    const T* xj = x + column[c + j] * k;
#pragma GCC unroll 8
    for (int g = 0; g < Groups; ++g)
#pragma GCC unroll 8
      for (int t = 0; t < W; ++t) sum[g][t].add(xj[g * Rows * k + t], value.at(v));
  }
  for (int g = 0; g < Groups; ++g)
    for (int i = 0; i < Rows; ++i)
      for (int t = 0; t < W; ++t) y[(g * Rows + i) * k + t] = sum[g][t][i];
}

// ---- stencils: 8 bytes a run; x streams through the cache

template <int Width, class Offsets, class T, class S>
void stencil_tile(int columns, Offsets offset, const T* value, const T* x, S* y) {
  Lanes<S, Width> sum;
  for (int k = 0; k < columns; ++k) sum.add(value[k], x + offset[k]);
  sum.store(y);
}

/// `count` single rows with the same pattern. The last tile may reach back over rows that are done already, to which it
/// gives the same values again.
template <class Offsets, class T, class S>
void stencil_rows(Offset count, int columns, Offsets offset, const T* value, const T* x, S* y) {
  const auto tile_at = [=](auto w, Offset i) { stencil_tile<w.value>(columns, offset, value, x + i, y + i); };
  constexpr Number<tile<S>> wide;
  constexpr Number<4> narrow;
  Offset i = 0;
  for (; i + wide <= count; i += wide) tile_at(wide, i);
  if (count >= wide && count - i > 2 * narrow) return tile_at(wide, count - wide);
  for (; i + narrow <= count; i += narrow) tile_at(narrow, i);
  if (count >= narrow && i < count) return tile_at(narrow, count - narrow);
  for (; i < count; ++i) tile_at(Number<1>{}, i);
}

/// Groups of `rows` rows with the same pattern.
template <class T, class S>
void stencil_groups(int rows, int count, int columns, const LocalIndex* offset, const T* value, const T* x, S* y) {
  with_rows(rows, [=](auto r) {
    constexpr int Rows = r.value;
    const auto groups = [=](auto together, int g) {
      group_tile<Rows, together.value, 1>(columns, Wide{offset}, Values<T, T>{value}, 0, 0, Number<1>{}, x + g * Rows,
                                          y + g * Rows);
    };
    int g = 0;
    for (; g + 4 <= count; g += 4) groups(Number<4>{}, g);
    for (; g < count; ++g) groups(Number<1>{}, g);
  });
}

template <class T, class S>
void stencil(const PackedView<T>& a, const T* x, S* y) {
  const T* x_chunk = x + a.chunk.first;
  LocalIndex next = 0; // rows between the runs have no entries
  for (std::uint32_t i = 0; i < a.chunk.groups; ++i) {
    const StencilRun run = a.run[i];
    const StencilPattern pattern = a.pattern[run.pattern];
    for (; next < run.first; ++next) y[next] = 0;
    next = run.first + run.count * pattern.rows;
    const LocalIndex* offset = a.offset + pattern.column_begin;
    const T* value = a.pattern_value + pattern.value_begin;
    const T* xr = x_chunk + run.first;
    S* yr = y + run.first;
    if (pattern.rows == 1)
      stencil_rows(run.count, pattern.columns, offset, value, xr, yr);
    else
      stencil_groups(pattern.rows, run.count, pattern.columns, offset, value, xr, yr);
  }
  for (; next < a.chunk.rows; ++next) y[next] = 0;
}

// ---- slices: 3 to 12 bytes a place

template <class T, class Columns, class Vals, class S>
void slices(const PackedView<T>& a, Columns column, Vals value, const T* x, S* y) {
  constexpr int lanes = 8;
  if (a.chunk.permuted)
    for (LocalIndex r = 0; r < a.chunk.rows; ++r) y[r] = 0; // rows without entries are in no slice
  std::uint32_t at = 0;
  for (std::uint32_t s = 0; s < a.chunk.groups; ++s) {
    S sum[lanes] = {};
    // Left to the compiler, which loads the x one by one: gather instructions take twice the time.
    for (int k = 0; k < a.width[s]; ++k, at += lanes)
      for (int i = 0; i < lanes; ++i) sum[i] += S{value[at + i]} * S{x[column[at + i]]};
    if (a.chunk.permuted)
      for (int i = 0; i < lanes; ++i) y[a.row[s * lanes + i]] = sum[i];
    else
      for (int i = 0; i < lanes; ++i) y[s * lanes + i] = sum[i];
  }
}

#ifdef __AVX2__
/// The same with at most 8 different values that floats hold: they stay in a register.
inline void slices_of_few(const PackedView<double>& a, const double* x, double* y) {
  constexpr int lanes = 8;
  const __m256 values = _mm256_loadu_ps(a.few);
  if (a.chunk.permuted)
    for (LocalIndex r = 0; r < a.chunk.rows; ++r) y[r] = 0;
  const std::uint16_t* column = a.narrow;
  const std::uint8_t* code = a.code;
  for (std::uint32_t s = 0; s < a.chunk.groups; ++s) {
    __m256d low = _mm256_setzero_pd(), high = low;
    for (int k = 0; k < a.width[s]; ++k, column += lanes, code += lanes) {
      const __m256i codes = _mm256_cvtepu8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(code)));
      const __m256 v = _mm256_permutevar8x32_ps(values, codes);
      const __m256d x_low = _mm256_set_pd(x[column[3]], x[column[2]], x[column[1]], x[column[0]]);
      const __m256d x_high = _mm256_set_pd(x[column[7]], x[column[6]], x[column[5]], x[column[4]]);
      low = _mm256_add_pd(low, _mm256_mul_pd(_mm256_cvtps_pd(_mm256_castps256_ps128(v)), x_low));
      high = _mm256_add_pd(high, _mm256_mul_pd(_mm256_cvtps_pd(_mm256_extractf128_ps(v, 1)), x_high));
    }
    double sum[lanes];
    _mm256_storeu_pd(sum, low);
    _mm256_storeu_pd(sum + 4, high);
    if (a.chunk.permuted)
      for (int i = 0; i < lanes; ++i) y[a.row[s * lanes + i]] = sum[i];
    else
      for (int i = 0; i < lanes; ++i) y[s * lanes + i] = sum[i];
  }
}
#endif

// ---- groups of rows that share their columns: 8 an entry, 2 or 4 for each of a group's columns

template <class T, class Columns, class Vals, class S>
void groups(const PackedView<T>& a, Columns column, Vals value, const T* x, S* y) {
  std::uint32_t c = 0, v = 0;
  for (std::uint32_t g = 0; g < a.chunk.groups; ++g) {
    const int rows = a.group_rows[g], width = a.width[g];
    with_rows(rows, [=](auto r) { group_tile<r.value, 1, 1>(width, column, value, c, v, Number<1>{}, x, y); });
    y += rows;
    c += width;
    v += width * rows;
  }
}

// ---- plain rows: 12 an entry, 4 a row

template <class T, class S>
void plain_rows(const PackedView<T>& a, const T* x, S* y) {
  for (LocalIndex r = 0; r < a.chunk.rows; ++r) {
    S sum = 0;
    for (std::uint32_t e = a.row_begin[r]; e < a.row_begin[r + 1]; ++e) sum += S{a.full[e]} * S{x[a.wide[e]]};
    y[r] = sum;
  }
}

template <class T, class S>
void product(const PackedView<T>& a, const T* x, S* y) {
  const T* from = x + a.chunk.base;
  switch (a.chunk.form) {
  case StorageForm::stencil:
    return stencil(a, x, y);
  case StorageForm::sell:
#ifdef __AVX2__
    if constexpr (sizeof(T) == sizeof(double) && sizeof(S) == sizeof(T))
      if (a.few && a.chunk.value_width == ValueWidth::palette && a.chunk.column_width == ColumnWidth::narrow)
        return slices_of_few(a, from, y);
#endif
    return with_widths(a, [&](auto column, auto value) { slices(a, column, value, from, y); });
  case StorageForm::block:
    return with_own_values(a, [&](auto column, auto value) { groups(a, column, value, from, y); });
  case StorageForm::csr:
    return plain_rows(a, x, y);
  }
}

} // namespace
} // namespace atl::host
