#pragma once

#include <atoll/comm/communicator.hpp>

#include <functional>
#include <optional>

namespace atl {

/// Ends a phase: throws the same Error on all ranks when any rank brings one (that of the lowest such rank),
/// returns on all ranks otherwise. Collective: one reduction when all is well.
ATOLL_API void agree(Communicator& comm, const std::optional<Error>& mine,
                     std::source_location where = std::source_location::current());

/// Runs local work (which must not communicate) and agrees on its outcome: an exception of one rank becomes the
/// same Error on all. Collective.
ATOLL_API void agree(Communicator& comm, const std::function<void()>& local_work,
                     std::source_location where = std::source_location::current());

} // namespace atl
