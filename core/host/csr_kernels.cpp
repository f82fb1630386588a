#include <atoll/core/host/host_kernels.hpp>
#include <atoll/core/host/parallel.hpp>

#include <cmath>

// Bytes: t is sizeof(T). A matrix costs t + 4 an entry and 8 a row (4 more with row_index); vectors count
// once, as if the cache held what rows have in common.

namespace atl {

namespace {

using host::over_rows;

/// Calls body(storage row, local row) for the rows [first, last), the test for a row_index made outside the
/// loop.
template <class T, class Body>
void for_rows(const CsrView<T>& a, LocalIndex first, LocalIndex last, const Body& body) {
  if (a.row_index)
    for (LocalIndex row = first; row < last; ++row) body(row, a.row_index[row]);
  else
    for (LocalIndex row = first; row < last; ++row) body(row, row);
}

/// for_rows() on all threads.
template <class T, class Body>
void for_rows_on_threads(int threads, const CsrView<T>& a, LocalIndex first, LocalIndex last, const Body& body) {
  over_rows(threads, a, first, last, [&](LocalIndex begin, LocalIndex end) { for_rows(a, begin, end, body); });
}

/// y = A x for one vector.
template <class T>
void multiply_one(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex, const T* x, T* y) {
  const T* value = a.value;
  const LocalIndex* column = a.column;
  Offset e = a.row_begin[first];
  for_rows(a, first, last, [=, &e](LocalIndex row, LocalIndex i) {
    T sum = 0;
    for (const Offset end = a.row_begin[row + 1]; e < end; ++e) sum += value[e] * x[column[e]];
    y[i] = sum;
  });
}

/// put(column, sum) for the columns c .. c + K of a row of A x, whose sums stay in registers.
template <LocalIndex K, class T, class Put>
void row_tile(const CsrView<T>& a, LocalIndex row, LocalIndex k, LocalIndex c, const T* x, const Put& put) {
  T sum[K] = {};
  for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e) {
    const T value = a.value[e];
    const T* xj = x + Offset{a.column[e]} * k + c;
#pragma omp simd
    for (LocalIndex t = 0; t < K; ++t) sum[t] += value * xj[t];
  }
  for (LocalIndex t = 0; t < K; ++t) put(c + t, sum[t]);
}

/// The same for all k columns, Rest = k modulo 8: the row comes from memory once and serves all tiles of columns from
/// the cache.
template <LocalIndex Rest, class T, class Put>
void row_tiles(const CsrView<T>& a, LocalIndex row, LocalIndex k, const T* x, const Put& put) {
  for (LocalIndex c = 0; c + 8 <= k; c += 8) row_tile<8>(a, row, k, c, x, put);
  if constexpr (Rest > 0) row_tile<Rest>(a, row, k, k - Rest, x, put);
}

/// y = A x for k vectors.
template <LocalIndex Rest, class T>
void multiply_many(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x, T* y) {
  for_rows(a, first, last, [=](LocalIndex row, LocalIndex i) {
    T* yi = y + Offset{i} * k;
    row_tiles<Rest>(a, row, k, x, [yi](LocalIndex c, T sum) { yi[c] = sum; });
  });
}

/// y += factor A x for k vectors.
template <LocalIndex Rest, class T>
void add_many(const CsrView<T>& a, LocalIndex first, LocalIndex last, T factor, LocalIndex k, const T* x, T* y) {
  for_rows(a, first, last, [=](LocalIndex row, LocalIndex i) {
    T* yi = y + Offset{i} * k;
    row_tiles<Rest>(a, row, k, x, [=](LocalIndex c, T sum) { yi[c] += factor * sum; });
  });
}

template <class T>
using Multiply = void (*)(const CsrView<T>&, LocalIndex, LocalIndex, LocalIndex, const T*, T*);

template <class T>
Multiply<T> multiply_for(LocalIndex k) {
  constexpr Multiply<T> by_rest[] = {multiply_many<0, T>, multiply_many<1, T>, multiply_many<2, T>,
                                     multiply_many<3, T>, multiply_many<4, T>, multiply_many<5, T>,
                                     multiply_many<6, T>, multiply_many<7, T>};
  return k == 1 ? multiply_one<T> : by_rest[k % 8];
}

template <class T>
using Add = void (*)(const CsrView<T>&, LocalIndex, LocalIndex, T, LocalIndex, const T*, T*);

template <class T>
Add<T> add_for(LocalIndex k) {
  constexpr Add<T> by_rest[] = {add_many<0, T>, add_many<1, T>, add_many<2, T>, add_many<3, T>,
                                add_many<4, T>, add_many<5, T>, add_many<6, T>, add_many<7, T>};
  return by_rest[k % 8];
}

} // namespace

// reads the matrix and k t a column, writes k t a row
template <class T>
void HostKernels<T>::csr_multiply(const CsrView<T>& a, LocalIndex first, LocalIndex last, LocalIndex k, const T* x,
                                  T* y) {
  over_rows(threads(), a, first, last,
            [=](LocalIndex begin, LocalIndex end) { multiply_for<T>(k)(a, begin, end, k, x, y); });
}

// reads the matrix, t a column and t a row, writes t a row
template <class T>
void HostKernels<T>::csr_residual(const CsrView<T>& a, LocalIndex first, LocalIndex last, const T* x, const T* b,
                                  T* r) {
  for_rows_on_threads(threads(), a, first, last, [=](LocalIndex row, LocalIndex i) {
    Scalar sum = b[i];
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e)
      sum -= Scalar{a.value[e]} * Scalar{x[a.column[e]]};
    r[i] = static_cast<T>(sum);
  });
}

// reads the matrix and k t a row, reads and writes k t a column
//
// Each thread sums into its own range of columns, so that nothing is written by two and the order of the sums
// does not depend on their number. Columns ascend within a row, so a thread passes over rows of others by
// their ends.
template <class T>
void HostKernels<T>::csr_multiply_transposed(const CsrView<T>& a, LocalIndex k, const T* x, T* y) {
  if (a.rows == 0) return;
  const Offset entries = a.row_begin[a.rows] - a.row_begin[0];
  host::on_threads(threads(), entries, [=](int part, int parts) {
    const auto low = static_cast<LocalIndex>(Offset{a.columns} * part / parts);
    const auto high = static_cast<LocalIndex>(Offset{a.columns} * (part + 1) / parts);
    for_rows(a, 0, a.rows, [=](LocalIndex row, LocalIndex i) {
      const T* xi = x + Offset{i} * k;
      const LocalIndex* begin = a.column + a.row_begin[row];
      const LocalIndex* end = a.column + a.row_begin[row + 1];
      if (!a.ascending) {
        for (; begin < end; ++begin)
          if (*begin >= low && *begin < high)
            for (LocalIndex c = 0; c < k; ++c) y[Offset{*begin} * k + c] += a.value[begin - a.column] * xi[c];
        return;
      }
      if (parts > 1) begin = std::lower_bound(begin, end, low);
      const T* value = a.value + (begin - a.column);
      if (k == 1) {
        for (const T xs = *xi; begin < end && *begin < high; ++begin, ++value) y[*begin] += *value * xs;
        return;
      }
      for (; begin < end && *begin < high; ++begin, ++value) {
        T* yj = y + Offset{*begin} * k;
#pragma omp simd
        for (LocalIndex c = 0; c < k; ++c) yj[c] += *value * xi[c];
      }
    });
  });
}

// reads 4 an entry and 8 a row, writes t a row
template <class T>
void HostKernels<T>::csr_diagonal(const CsrView<T>& a, T* d) {
  for_rows_on_threads(threads(), a, 0, a.rows, [=](LocalIndex row, LocalIndex i) {
    const LocalIndex* end = a.column + a.row_begin[row + 1];
    const LocalIndex* begin = a.column + a.row_begin[row];
    const LocalIndex* found = a.ascending ? std::lower_bound(begin, end, i) : std::find(begin, end, i);
    d[i] = found != end && *found == i ? a.value[found - a.column] : T{0};
  });
}

// reads t an entry and 8 a row, writes t a row
template <class T>
void HostKernels<T>::csr_row_sums(const CsrView<T>& a, T* sums) {
  for_rows_on_threads(threads(), a, 0, a.rows, [=](LocalIndex row, LocalIndex i) {
    Scalar sum = 0;
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e) sum += Scalar{a.value[e]};
    sums[i] = static_cast<T>(sum);
  });
}

// reads t an entry and 8 a row, writes t a row
template <class T>
void HostKernels<T>::csr_row_abs_sums(const CsrView<T>& a, T* sums) {
  for_rows_on_threads(threads(), a, 0, a.rows, [=](LocalIndex row, LocalIndex i) {
    Scalar sum = 0;
    for (Offset e = a.row_begin[row]; e < a.row_begin[row + 1]; ++e) sum += std::abs(Scalar{a.value[e]});
    sums[i] = static_cast<T>(sum);
  });
}

// reads the rows and k t a column, reads and writes k t a row
template <class T>
void HostKernels<T>::csr_multiply_add(const CsrView<T>& a, T factor, LocalIndex k, const T* x, T* y) {
  over_rows(threads(), a, 0, a.rows,
            [=](LocalIndex begin, LocalIndex end) { add_for<T>(k)(a, begin, end, factor, k, x, y); });
}

template class HostKernels<float>;
template class HostKernels<double>;

} // namespace atl
