#pragma once
// Compiled once for each instruction set, with ATOLL_LOOPS naming it. Everything here is in an unnamed namespace and
// nothing from the standard library is called: an inline function compiled for a newer processor must not
// become the one that the whole library uses.

#include <atoll/core/host/packed_loops.hpp>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace atl::host {
namespace {

/// Rows that are worked on at once, so that their sums stay in registers.
template <class T>
constexpr int tile = 128 / sizeof(T);

// ---- stencils: 8 bytes a run; x streams through the cache

template <int Width, class T>
void stencil_tile(int columns, const LocalIndex* offset, const T* value, const T* x, T* y) {
  T sum[Width] = {};
  for (int k = 0; k < columns; ++k) {
    const T* xk = x + offset[k];
    const T v = value[k];
#pragma omp simd
    for (int i = 0; i < Width; ++i) sum[i] += v * xk[i];
  }
  for (int i = 0; i < Width; ++i) y[i] = sum[i];
}

/// `count` single rows with the same pattern.
template <class T>
void stencil_rows(int count, int columns, const LocalIndex* offset, const T* value, const T* x, T* y) {
  int i = 0;
  for (; i + tile<T> <= count; i += tile<T>) stencil_tile<tile<T>>(columns, offset, value, x + i, y + i);
  for (; i + 4 <= count; i += 4) stencil_tile<4>(columns, offset, value, x + i, y + i);
  for (; i < count; ++i) stencil_tile<1>(columns, offset, value, x + i, y + i);
}

/// Groups of Rows rows with the same pattern, Groups of them at once. Three rows work in four lanes, of which the last
/// is not stored.
template <int Rows, int Groups, class T>
void stencil_groups(int columns, const LocalIndex* offset, const T* value, const T* x, T* y) {
  constexpr int lanes = Rows == 2 ? 2 : 4;
  T sum[Groups][lanes] = {};
  for (int k = 0; k < columns; ++k) {
    const T* xk = x + offset[k];
    const T* v = value + k * Rows;
    for (int g = 0; g < Groups; ++g)
#pragma omp simd
      for (int i = 0; i < lanes; ++i) sum[g][i] += v[i] * xk[g * Rows];
  }
  for (int g = 0; g < Groups; ++g)
    for (int i = 0; i < Rows; ++i) y[g * Rows + i] = sum[g][i];
}

template <int Rows, class T>
void stencil_run(int count, int columns, const LocalIndex* offset, const T* value, const T* x, T* y) {
  int g = 0;
  for (; g + 4 <= count; g += 4) stencil_groups<Rows, 4>(columns, offset, value, x + g * Rows, y + g * Rows);
  for (; g < count; ++g) stencil_groups<Rows, 1>(columns, offset, value, x + g * Rows, y + g * Rows);
}

template <class T>
void stencil(const PackedView<T>& a, const T* x, T* y) {
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
    T* yr = y + run.first;
    switch (pattern.rows) {
    case 1:
      stencil_rows(run.count, pattern.columns, offset, value, xr, yr);
      break;
    case 2:
      stencil_run<2>(run.count, pattern.columns, offset, value, xr, yr);
      break;
    case 3:
      stencil_run<3>(run.count, pattern.columns, offset, value, xr, yr);
      break;
    default:
      stencil_run<4>(run.count, pattern.columns, offset, value, xr, yr);
    }
  }
  for (; next < a.chunk.rows; ++next) y[next] = 0;
}

// ---- columns and values in their widths

struct Wide {
  const LocalIndex* column;
  LocalIndex operator[](std::uint32_t i) const { return column[i]; }
};
struct Narrow {
  const std::uint16_t* column;
  LocalIndex operator[](std::uint32_t i) const { return column[i]; }
};
template <class T, class Stored>
struct Values {
  const Stored* value;
  T operator[](std::uint32_t i) const { return static_cast<T>(value[i]); }
};
template <class T>
struct Coded {
  const std::uint8_t* code;
  const T* palette;
  T operator[](std::uint32_t i) const { return palette[code[i]]; }
};

/// Calls body(columns, values) with the types of this chunk. Narrow columns count from the chunk's base.
template <class T, class Body>
void with_widths(const PackedView<T>& a, const Body& body) {
  const auto with_columns = [&](const auto values) {
    if (a.chunk.column_width == ColumnWidth::narrow)
      body(Narrow{a.narrow}, values);
    else
      body(Wide{a.wide}, values);
  };
  switch (a.chunk.value_width) {
  case ValueWidth::full:
    return with_columns(Values<T, T>{a.full});
  case ValueWidth::single:
    return with_columns(Values<T, float>{a.single});
  case ValueWidth::palette:
    return with_columns(Coded<T>{a.code, a.palette});
  }
}

// ---- slices: 3 to 12 bytes a place

template <class T, class Columns, class Vals>
void slices(const PackedView<T>& a, Columns column, Vals value, const T* x, T* y) {
  constexpr int lanes = 8;
  if (a.chunk.permuted)
    for (LocalIndex r = 0; r < a.chunk.rows; ++r) y[r] = 0; // rows without entries are in no slice
  std::uint32_t at = 0;
  for (std::uint32_t s = 0; s < a.chunk.groups; ++s) {
    T sum[lanes] = {};
    // Left to the compiler, which loads the x one by one: gather instructions take twice the time.
    for (int k = 0; k < a.width[s]; ++k, at += lanes)
      for (int i = 0; i < lanes; ++i) sum[i] += value[at + i] * x[column[at + i]];
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

template <int Rows, class T, class Columns, class Vals>
void group(int columns, Columns column, Vals value, std::uint32_t c, std::uint32_t v, const T* x, T* y) {
  constexpr int lanes = Rows == 3 ? 4 : Rows;
  T sum[lanes] = {};
  for (int k = 0; k < columns; ++k) {
    const T xk = x[column[c + k]];
#pragma omp simd
    for (int i = 0; i < lanes; ++i) sum[i] += value[v + k * Rows + i] * xk;
  }
  for (int i = 0; i < Rows; ++i) y[i] = sum[i];
}

template <class T, class Columns, class Vals>
void groups(const PackedView<T>& a, Columns column, Vals value, const T* x, T* y) {
  std::uint32_t c = 0, v = 0;
  for (std::uint32_t g = 0; g < a.chunk.groups; ++g) {
    const int rows = a.group_rows[g], width = a.width[g];
    if (rows == 1)
      group<1>(width, column, value, c, v, x, y);
    else if (rows == 2)
      group<2>(width, column, value, c, v, x, y);
    else if (rows == 3)
      group<3>(width, column, value, c, v, x, y);
    else
      group<4>(width, column, value, c, v, x, y);
    y += rows;
    c += width;
    v += width * rows;
  }
}

// ---- plain rows: 12 an entry, 4 a row

template <class T>
void plain_rows(const PackedView<T>& a, const T* x, T* y) {
  for (LocalIndex r = 0; r < a.chunk.rows; ++r) {
    T sum = 0;
    for (std::uint32_t e = a.row_begin[r]; e < a.row_begin[r + 1]; ++e) sum += a.full[e] * x[a.wide[e]];
    y[r] = sum;
  }
}

template <class T>
void product(const PackedView<T>& a, const T* x, T* y) {
  const T* from = x + a.chunk.base;
  switch (a.chunk.form) {
  case StorageForm::stencil:
    return stencil(a, x, y);
  case StorageForm::sell:
#ifdef __AVX2__
    if constexpr (sizeof(T) == sizeof(double))
      if (a.few && a.chunk.value_width == ValueWidth::palette && a.chunk.column_width == ColumnWidth::narrow)
        return slices_of_few(a, from, y);
#endif
    return with_widths(a, [&](auto column, auto value) { slices(a, column, value, from, y); });
  case StorageForm::block:
    return with_widths(a, [&](auto column, auto value) { groups(a, column, value, from, y); });
  case StorageForm::csr:
    return plain_rows(a, x, y);
  }
}

// ---- vectors

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

// ---- exact sums

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

template <class T>
constexpr PackedLoops<T> table{product<T>, direction<T>, step<T>, dots<T>, dot_terms<T>, products<T>, exact_levels};

} // namespace

#define ATOLL_JOIN_(a, b) a##b
#define ATOLL_JOIN(a, b) ATOLL_JOIN_(a, b)
extern const PackedLoops<float>* const ATOLL_JOIN(float_loops_, ATOLL_LOOPS);
extern const PackedLoops<double>* const ATOLL_JOIN(double_loops_, ATOLL_LOOPS);
const PackedLoops<float>* const ATOLL_JOIN(float_loops_, ATOLL_LOOPS) = &table<float>;
const PackedLoops<double>* const ATOLL_JOIN(double_loops_, ATOLL_LOOPS) = &table<double>;

} // namespace atl::host
