#pragma once

#include <atoll/comm/communicator.hpp>
#include <atoll/core/exact_sum.hpp>

namespace atl {

/// Exact sums over the ranks, in place. Collective, one reduction for at most 4 sums, of 568 bytes each.
ATOLL_API void all_reduce_exact(Communicator& comm, std::span<ExactSum> sums);

} // namespace atl
