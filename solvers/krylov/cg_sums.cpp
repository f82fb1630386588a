/// The sums over ranks of one solve.

#include <atoll/comm/exact_reduction.hpp>
#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

template <class T>
void CgRun<T>::dots(Offset n, std::span<const DotPair<T>> pairs, int place) {
  if (work.exact.empty()) return kernels.dots(n, pairs, scalar(place));
  for (std::size_t i = 0; i < pairs.size(); ++i)
    kernels.exact_dot(n, pairs[i].x, pairs[i].y, work.exact[static_cast<std::size_t>(place) + i]);
}

template <class T>
void CgRun<T>::pipelined_dots() {
  const DVector<T>&r = work.r, &u = work.u, &w = work.w;
  const DotPair<T> pairs[] = {{r.data(), r.data()}, {r.data(), u.data()}, {w.data(), u.data()}};
  dots(r.owned_size(), pairs, squared_residual);
}

/// Whether this rank wants to stop, as it goes into the sum of all.
template <class T>
double CgRun<T>::write_stop_request() {
  const bool watched = stopping_.interrupt || stopping_.time_limit_seconds > 0;
  if (!watched) return 0;
  double request = 0;
  if (stopping_.time_limit_seconds > 0 && timer_.seconds() > stopping_.time_limit_seconds) request += time_is_over;
  if (stopping_.interrupt && stopping_.interrupt->load() != 0) request += was_interrupted;
  context_.executor->copy_from_host(&request, scalar(stop_request), sizeof request);
  return request;
}

template <class T>
void CgRun<T>::reduce(int first, int last) {
  const double request = last == stop_request + 1 ? write_stop_request() : 0;
  const Timer timer;
  if (sums_exactly())
    reduce_exactly(first, last, request);
  else
    all_reduce_sum(*context_.comm, *context_.executor, scalar(first), last - first, work.host + first);
  reduction_seconds_ += timer.seconds();
}

template <class T>
std::optional<SumInFlight> CgRun<T>::start_reduce(int first, int last) {
  const double request = last == stop_request + 1 ? write_stop_request() : 0;
  if (!sums_exactly())
    return work.overlapped.start(*context_.comm, *context_.executor, scalar(first), last - first, work.host + first);
  const Timer timer;
  reduce_exactly(first, last, request);
  reduction_seconds_ += timer.seconds();
  return {};
}

template <class T>
void CgRun<T>::finish_reduce(std::optional<SumInFlight>& sum) {
  if (!sum) return;
  const Timer timer;
  sum->finish();
  reduction_seconds_ += timer.seconds();
}

/// One reduction, of the digits of all sums.
template <class T>
void CgRun<T>::reduce_exactly(int first, int last, double request) {
  const std::span<ExactSum> sums(work.exact.data() + first, static_cast<std::size_t>(last - first));
  if (last == stop_request + 1) sums.back().add(request);
  all_reduce_exact(*context_.comm, sums);
  for (int i = first; i < last; ++i) {
    work.host[i] = work.exact[static_cast<std::size_t>(i)].value();
    work.exact[static_cast<std::size_t>(i)].clear();
  }
  context_.executor->copy_from_host(work.host + first, scalar(first), sizeof(double) * sums.size());
}

template void CgRun<float>::dots(Offset, std::span<const DotPair<float>>, int);
template void CgRun<float>::pipelined_dots();
template double CgRun<float>::write_stop_request();
template void CgRun<float>::reduce(int, int);
template std::optional<SumInFlight> CgRun<float>::start_reduce(int, int);
template void CgRun<float>::finish_reduce(std::optional<SumInFlight>&);
template void CgRun<float>::reduce_exactly(int, int, double);
template void CgRun<double>::dots(Offset, std::span<const DotPair<double>>, int);
template void CgRun<double>::pipelined_dots();
template double CgRun<double>::write_stop_request();
template void CgRun<double>::reduce(int, int);
template std::optional<SumInFlight> CgRun<double>::start_reduce(int, int);
template void CgRun<double>::finish_reduce(std::optional<SumInFlight>&);
template void CgRun<double>::reduce_exactly(int, int, double);

} // namespace atl
