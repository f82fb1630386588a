#pragma once
// Part of packed_loops_body.hpp: a matrix times k interleaved vectors. Each row's terms are added in the row's order, as
// for one vector, so that a column's bits do not depend on the others.

#include <atoll/core/host/packed_loops_products.hpp>

namespace atl::host {
namespace {

/// Columns that are worked on at once.
template <class T>
constexpr int widest = 64 / sizeof(T);

/// Sums that stay in registers.
template <class T>
constexpr int sums = 256 / sizeof(T);

/// Calls body(Number<W>, c) for tiles [c, c + W) of the columns from `c` on. The last of them may reach back over
/// columns that are done already, to which it gives the same values again.
template <int W, class Body>
void over_tiles(LocalIndex k, LocalIndex c, const Body& body) {
  for (; c + W <= k; c += W) body(Number<W>{}, c);
  if constexpr (W > 1) {
    if (c == k) return;
    if (k >= W && k - c > W / 2) return body(Number<W>{}, k - W);
    over_tiles<W / 2>(k, c, body);
  }
}

inline void clear(LocalIndex first, LocalIndex last, LocalIndex k, auto* y) {
  for (Offset i = Offset{first} * k; i < Offset{last} * k; ++i) y[i] = 0;
}

// ---- rows that share their columns: groups, patterns, and rows one by one

/// Groups of Rows rows that share their columns, Groups of them with the same values.
template <int Rows, int Groups, int W, class T, class Columns, class Vals>
void shared_tile(int n, Columns column, Vals value, std::uint32_t c, std::uint32_t v, Offset k, const T* x, T* y) {
  Lanes<T, W> sum[Groups][Rows];
  for (int j = 0; j < n; ++j, v += Rows) {
    const T* xj = x + column[c + j] * k;
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 8
      for (int g = 0; g < Groups; ++g) sum[g][i].add(value[v + i], xj + g * Rows * k);
  }
#pragma GCC unroll 8
  for (int g = 0; g < Groups; ++g)
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) sum[g][i].store(y + (g * Rows + i) * k);
}

/// The same for all k columns. Where a tile has few of them, rows work side by side instead, or several groups at once.
template <int Rows, int Groups, class T, class Columns, class Vals>
void shared_rows(int n, Columns column, Vals value, std::uint32_t c, std::uint32_t v, LocalIndex k, const T* x,
                 T* y) {
  over_tiles<widest<T>>(k, 0, [=](auto w, LocalIndex t) {
    if constexpr (w.value <= 2 && Rows > 1) {
      group_tile<Rows, Groups, w.value>(n, column, value, c, v, Offset{k}, x + t, y + t);
    } else {
      constexpr int room = sums<T> / (Rows * w.value), together = room >= Groups ? Groups : room > 1 ? 2 : 1;
      for (Offset g = 0; g < Groups; g += together)
        shared_tile<Rows, together, w.value>(n, column, value, c, v, k, x + g * Rows * k + t, y + g * Rows * k + t);
    }
  });
}

template <class T, class Columns, class Vals>
void groups_columns(const PackedView<T>& a, Columns column, Vals value, LocalIndex k, const T* x, T* y) {
  std::uint32_t c = 0, v = 0;
  for (std::uint32_t g = 0; g < a.chunk.groups; ++g) {
    const int rows = a.group_rows[g], width = a.width[g];
    with_rows(rows, [=](auto r) { shared_rows<r.value, 1>(width, column, value, c, v, k, x, y); });
    y += Offset{rows} * k;
    c += width;
    v += width * rows;
  }
}

template <class T>
void plain_columns(const PackedView<T>& a, LocalIndex k, const T* x, T* y) {
  for (LocalIndex r = 0; r < a.chunk.rows; ++r) {
    const std::uint32_t begin = a.row_begin[r], end = a.row_begin[r + 1];
    shared_rows<1, 1>(static_cast<int>(end - begin), Wide{a.wide}, Values<T, T>{a.full}, begin, begin, k, x,
                      y + Offset{r} * k);
  }
}

// ---- stencils

/// Groups of Rows rows with the same pattern.
template <int Rows, class T>
void stencil_groups_columns(int count, int columns, const LocalIndex* offset, const T* value, LocalIndex k,
                            const T* x, T* y) {
  const Offset step = Offset{Rows} * k;
  int g = 0;
  for (; g + 4 <= count; g += 4, x += 4 * step, y += 4 * step)
    shared_rows<Rows, 4>(columns, Wide{offset}, Values<T, T>{value}, 0, 0, k, x, y);
  for (; g < count; ++g, x += step, y += step)
    shared_rows<Rows, 1>(columns, Wide{offset}, Values<T, T>{value}, 0, 0, k, x, y);
}

template <class T>
void stencil_columns(const PackedView<T>& a, LocalIndex k, const T* x, T* y) {
  const T* x_chunk = x + Offset{a.chunk.first} * k;
  LocalIndex next = 0; // rows between the runs have no entries
  for (std::uint32_t i = 0; i < a.chunk.groups; ++i) {
    const StencilRun run = a.run[i];
    const StencilPattern pattern = a.pattern[run.pattern];
    clear(next, run.first, k, y);
    next = run.first + run.count * pattern.rows;
    const LocalIndex* offset = a.offset + pattern.column_begin;
    const T* value = a.pattern_value + pattern.value_begin;
    const T* xr = x_chunk + Offset{run.first} * k;
    T* yr = y + Offset{run.first} * k;
    if (pattern.rows == 1) // the columns of a run stand one after the other, like its rows for one vector
      stencil_rows(Offset{run.count} * k, pattern.columns, Scaled{offset, k}, value, xr, yr);
    else
      with_rows(pattern.rows, [=](auto rows) {
        stencil_groups_columns<rows.value>(run.count, pattern.columns, offset, value, k, xr, yr);
      });
  }
  clear(next, a.chunk.rows, k, y);
}

// ---- slices

/// The rows of some lanes of a slice.
template <int Together, int W, class T, class Columns, class Vals>
void slice_tile(int n, Columns column, Vals value, std::uint32_t at, Offset k, const T* x,
                Lanes<T, W> (&sum)[Together]) {
  for (int j = 0; j < n; ++j, at += 8)
#pragma GCC unroll 8
    for (int i = 0; i < Together; ++i) sum[i].add(value[at + i], x + column[at + i] * k);
}

template <class T, class Columns, class Vals>
void slices_columns(const PackedView<T>& a, Columns column, Vals value, LocalIndex k, const T* x, T* y) {
  constexpr int lanes = 8;
  if (a.chunk.permuted) clear(0, a.chunk.rows, k, y); // rows without entries are in no slice
  std::uint32_t at = 0;
  for (std::uint32_t s = 0; s < a.chunk.groups; ++s) {
    over_tiles<widest<T>>(k, 0, [&](auto w, LocalIndex c) {
      constexpr int width = w.value, together = sums<T> / width < lanes ? sums<T> / width : lanes;
      for (int first = 0; first < lanes; first += together) {
        Lanes<T, width> sum[together];
        slice_tile(a.width[s], column, value, at + first, k, x + c, sum);
#pragma GCC unroll 8
        for (int i = 0; i < together; ++i) {
          const auto stored = static_cast<LocalIndex>(s * lanes + first + i);
          const LocalIndex r = a.chunk.permuted ? a.row[stored] : stored;
          if (r < a.chunk.rows) sum[i].store(y + Offset{r} * k + c);
        }
      }
    });
    at += a.width[s] * lanes;
  }
}

template <class T>
void product_columns(const PackedView<T>& a, LocalIndex k, const T* x, T* y) {
  const T* from = x + Offset{a.chunk.base} * k;
  switch (a.chunk.form) {
  case StorageForm::stencil:
    return stencil_columns(a, k, x, y);
  case StorageForm::sell:
    return with_widths(a, [&](auto column, auto value) { slices_columns(a, column, value, k, from, y); });
  case StorageForm::block:
    return with_own_values(a, [&](auto column, auto value) { groups_columns(a, column, value, k, from, y); });
  case StorageForm::csr:
    return plain_columns(a, k, x, y);
  }
}

} // namespace
} // namespace atl::host
