#include <atoll/comm/reductions.hpp>
#include <atoll/core/kernels.hpp>

#include <cmath>

namespace atl {

void all_reduce_sum(Communicator& comm, Executor& executor, double* values, Offset count, double* host) {
  const std::span<double> sums(host, static_cast<std::size_t>(count));
  executor.copy_to_host(values, host, sums.size_bytes());
  if (comm.size() == 1) return;
  comm.all_reduce(sums, ReduceOp::sum);
  executor.copy_from_host(host, values, sums.size_bytes());
}

SumInFlight OverlappedSum::start(Communicator& comm, Executor& executor, double* values, Offset count, double* host,
                                 Communicator::Where where) {
  ensure(!executor_, "a sum was started before the last one was finished");
  const std::span<double> sums(host, static_cast<std::size_t>(count));
  executor.copy_to_host(values, host, sums.size_bytes());
  request_ = comm.start_all_reduce(sums, ReduceOp::sum, std::move(request_), where);
  executor_ = &executor;
  values_ = values;
  host_ = sums;
  return SumInFlight(this);
}

void OverlappedSum::finish() {
  Executor& executor = *std::exchange(executor_, nullptr);
  request_->wait();
  executor.copy_from_host(host_.data(), values_, host_.size_bytes());
}

void SumInFlight::finish() {
  if (auto* sum = std::exchange(sum_, nullptr)) sum->finish();
}

SumInFlight::~SumInFlight() {
  try {
    finish();
  } catch (...) {
    // An exception is under way already, or the next collective will meet the same failure and report it.
  }
}

template <class T>
double dot(const DVector<T>& x, const DVector<T>& y) {
  if (x.owned_size() != y.owned_size())
    throw Error(ErrorKind::usage, "dot product of vectors with " + std::to_string(x.owned_size()) + " and " +
                                      std::to_string(y.owned_size()) + " values on this rank");
  Array<double> sum(x.executor(), 1);
  const DotPair<T> pair{x.data(), y.data()};
  x.executor()->template kernels<T>().dots(x.owned_size(), std::span(&pair, 1), sum.data());
  return x.map()->comm()->all_reduce(sum.to_host()[0], ReduceOp::sum);
}

template <class T>
double norm2(const DVector<T>& x) {
  return std::sqrt(dot(x, x));
}

template ATOLL_API double dot(const DVector<float>&, const DVector<float>&);
template ATOLL_API double dot(const DVector<double>&, const DVector<double>&);
template ATOLL_API double norm2(const DVector<float>&);
template ATOLL_API double norm2(const DVector<double>&);

} // namespace atl
