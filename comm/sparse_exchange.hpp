#pragma once

#include <atoll/comm/communicator.hpp>

#include <functional>

namespace atl {

/// One rank's count of items for (or from) another.
struct PeerCount {
  int rank = 0;
  Offset count = 0;
};

/// Who sends how much to me? Each rank names its destinations; the answer lists the sources by rank.
/// Nothing of length P is held: headers travel through log2(P) partners (crystal router; Fox et al., Solving
/// Problems on Concurrent Processors, 1988). Destinations must be distinct, else Error{internal}
/// on all ranks. Collective.
ATOLL_API std::vector<PeerCount> find_sources(Communicator& comm, std::span<const PeerCount> destinations);

/// An all-to-all of items among few partners, in rounds of bounded buffers, so that neither message sizes nor
/// memory grow with the amount sent. The partners are found once; run() may be repeated with other item types.
class ATOLL_API BulkExchange {
 public:
  /// Collective. destinations: distinct ranks (this rank too, if it sends to itself) with items for each.
  BulkExchange(CommunicatorPtr comm, std::vector<PeerCount> destinations);

  std::span<const PeerCount> destinations() const { return destinations_; }
  std::span<const PeerCount> sources() const { return sources_; } ///< ascending by rank
  Offset received() const;                                        ///< items from all sources

  /// Writes items [first, first + count) for destination number d into `out`.
  using Pack = std::function<void(std::size_t d, Offset first, Offset count, std::byte* out)>;
  /// Takes items [first, first + count) of source number s.
  using Unpack = std::function<void(std::size_t s, Offset first, Offset count, const std::byte* in)>;
  /// Collective: every rank must call it once for each exchange, with the same item size; waits for partners
  /// only. An exception of pack or unpack is thrown again when all messages are through: on this rank alone,
  /// so that the caller brings it to the next agree().
  void run(std::size_t item_bytes, const Pack& pack, const Unpack& unpack);

  /// The plan of the way back: what was received goes to where it came from. Local.
  BulkExchange reverse() const;

 private:
  BulkExchange(CommunicatorPtr comm, std::vector<PeerCount> destinations, std::vector<PeerCount> sources);

  CommunicatorPtr comm_;
  std::vector<PeerCount> destinations_, sources_;
};

/// Items grouped by destination (items of destinations()[0] first, and so on) to items grouped by source.
/// The plan may be used again. Collective.
template <class T>
std::vector<T> exchange(BulkExchange& plan, std::span<const T> items);

/// T answers, one for each received item, returned to the askers in the order in which they asked. Collective.
template <class T>
std::vector<T> exchange_back(const BulkExchange& plan, std::span<const T> answers);

} // namespace atl

#include <atoll/comm/sparse_exchange_inl.hpp>
