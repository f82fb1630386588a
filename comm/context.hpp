#pragma once

#include <atoll/comm/communicator.hpp>
#include <atoll/core/executor.hpp>
#include <atoll/core/observer.hpp>

namespace atl {

/// What every distributed object is made with: the ranks, where data live, who listens. Cheap to copy.
/// There is no global state behind it; two contexts in two threads do not touch each other.
struct Context {
  CommunicatorPtr comm;
  ExecutorPtr executor;
  ObserverPtr observer = std::make_shared<Observer>();
  /// How halo exchanges travel; prove_transport() (transport_check.hpp) tells which kinds work on this
  /// machine.
  ChannelKind channel_kind = ChannelKind::persistent;

  int rank() const { return comm->rank(); }
  int size() const { return comm->size(); }
};

/// One rank, host memory. For programs without MPI and for tests.
ATOLL_API Context make_self_context();

} // namespace atl
