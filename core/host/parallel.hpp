#pragma once

#include <atoll/core/csr_matrix.hpp>

#include <algorithm>
#include <omp.h>

namespace atl::host {

/// Below this many values a team of threads costs more than it saves.
constexpr Offset least_parallel = 8192;

/// work(part, parts) on each thread of a team; on the calling thread, without any OpenMP region, where one
/// thread is all there is or the work is small.
template <class Work>
void on_threads(int threads, Offset size, const Work& work) {
  if (threads == 1 || size < least_parallel) return work(0, 1);
#pragma omp parallel num_threads(threads)
  work(omp_get_thread_num(), omp_get_num_threads());
}

/// work(first, last) over even shares of 0 .. n.
template <class Work>
void over_range(int threads, Offset n, const Work& work) {
  on_threads(threads, n, [&](int part, int parts) { work(n * part / parts, n * (part + 1) / parts); });
}

/// work(first, last) over shares of the storage rows [first, last) with about equally many entries each.
template <class T, class Work>
void over_rows(int threads, const CsrView<T>& a, LocalIndex first, LocalIndex last, const Work& work) {
  if (first >= last) return;
  const Offset begin = a.row_begin[first], entries = a.row_begin[last] - begin;
  // The row at which `part` starts: entries and rows count alike, so that rows without entries are shared
  // too.
  const auto start_of = [&](int part, int parts) {
    const Offset target = (entries + last - first) * part / parts;
    LocalIndex low = first, high = last;
    while (low < high) {
      const LocalIndex middle = low + (high - low) / 2;
      if (a.row_begin[middle] - begin + (middle - first) < target)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  };
  on_threads(threads, entries + last - first,
             [&](int part, int parts) { work(start_of(part, parts), start_of(part + 1, parts)); });
}

} // namespace atl::host
