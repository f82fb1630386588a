#pragma once
/// Private to io: refuses what cannot fit before the machine starts to swap or kills the run.

#include <atoll/comm/communicator.hpp>

#include <string>

namespace atl {

/// Throws Error{limit}, the same on all ranks, when the ranks of some machine together need more memory than
/// it has available. `bytes` is what one rank will need, the same number on all ranks; small needs are not
/// looked into. Collective.
void require_memory(Communicator& comm, double bytes, const std::string& what, const std::string& where);

} // namespace atl
