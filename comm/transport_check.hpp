#pragma once

#include <atoll/comm/communicator.hpp>

#include <string>

namespace atl {

/// A way to exchange halos that has been seen to work, and why it was taken.
struct TransportChoice {
  ChannelKind kind = ChannelKind::persistent;
  std::string why; ///< one line, the same on all ranks
};

/// Proves the ways to exchange before any halo relies on them. Each kind of channel carries known bytes
/// around the ring of ranks, both ways, in several sizes and twice each; one that brings wrong bytes, or that
/// has not finished after `watchdog_seconds`, is not used. The first that works is taken, persistent before
/// neighborhood. Collective. Errors     Error{environment} on all ranks, with what was wrong with each, where
/// none works.
ATOLL_API TransportChoice prove_transport(Communicator& comm, double watchdog_seconds = 10);

} // namespace atl
