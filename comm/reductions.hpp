#pragma once

#include <atoll/comm/dvector.hpp>

#include <utility>

namespace atl {

/// Sums `count` device values over the ranks, in place; staged where host code may not look. `host` receives the
/// sums as well. Collective, one reduction.
ATOLL_API void all_reduce_sum(Communicator& comm, Executor& executor, double* values, Offset count, double* host);

class OverlappedSum;

/// A sum under way. finish() must be called (the destructor finishes, but only waits for what is already under way).
class ATOLL_API SumInFlight {
 public:
  SumInFlight(SumInFlight&& other) noexcept : sum_(std::exchange(other.sum_, nullptr)) {}
  SumInFlight& operator=(SumInFlight&&) = delete;
  ~SumInFlight();
  void finish();

 private:
  friend class OverlappedSum;
  explicit SumInFlight(OverlappedSum* sum) : sum_(sum) {}
  OverlappedSum* sum_;
};

/// all_reduce_sum() beside other work, over and over: from its second use on it allocates nothing. How far MPI carries
/// the sum while no rank is inside a call of MPI is MPI's affair; the halo exchanges of the work beside it are such
/// calls.
/// Ranks      start() is collective, one reduction. One sum may be in flight at a time; a second start is
///            Error{internal}. The object stays where it is meanwhile, and so do comm, executor, values and host.
class ATOLL_API OverlappedSum {
 public:
  OverlappedSum() = default;
  OverlappedSum(const OverlappedSum&) = delete;
  OverlappedSum& operator=(const OverlappedSum&) = delete;

  /// The values are read at once; they and `host` hold the sums after finish(), and nothing of use before.
  [[nodiscard]] SumInFlight start(Communicator& comm, Executor& executor, double* values, Offset count, double* host,
                                  Communicator::Where where = Communicator::Where::current());

 private:
  friend class SumInFlight;
  void finish();

  RequestPtr request_;
  Executor* executor_ = nullptr; // null where nothing is under way
  double* values_ = nullptr;
  std::span<double> host_;
};

/// x . y over all ranks (all columns together). Collective, one reduction. Allocates; for set-up and tests.
template <class T>
ATOLL_API double dot(const DVector<T>& x, const DVector<T>& y);
template <class T>
ATOLL_API double norm2(const DVector<T>& x);

} // namespace atl
