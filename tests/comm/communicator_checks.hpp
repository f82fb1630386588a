#pragma once
/// What every communicator promises, for self, MPI and the virtual cluster alike. All are collective.

#include <atoll/comm/communicator.hpp>

namespace atl::test {

void check_collectives(Communicator& comm);
void check_messages(Communicator& comm);
void check_channels(Communicator& comm);
/// agree() with a failure on each rank in turn.
void check_agreement(Communicator& comm);

} // namespace atl::test
