#pragma once

#include <atoll/comm/dvector.hpp>

namespace atl {

/// Sums `count` device values over the ranks, in place; staged where host code may not look. `host` receives the
/// sums as well. Collective, one reduction.
ATOLL_API void all_reduce_sum(Communicator& comm, Executor& executor, double* values, Offset count, double* host);

/// x . y over all ranks (all columns together). Collective, one reduction. Allocates; for set-up and tests.
template <class T>
ATOLL_API double dot(const DVector<T>& x, const DVector<T>& y);
template <class T>
ATOLL_API double norm2(const DVector<T>& x);

} // namespace atl
