#pragma once

#include <atoll/core/types.hpp>

#include <cstddef>
#include <memory>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

enum class ReduceOp { sum, min, max };

/// A message under way. wait() returns when the buffer may be used again; it is idempotent.
/// A request that is dropped without wait() leaves its buffer in use: the owner must wait.
class ATOLL_API Request {
 public:
  virtual ~Request() = default;
  virtual void wait() = 0;
};
using RequestPtr = std::unique_ptr<Request>;

/// One neighbour's share of a repeated exchange, in bytes.
struct ChannelPeer {
  int rank = 0;
  std::size_t bytes = 0;
};

/// The same messages over and over between fixed buffers (persistent requests, or a neighbourhood
/// collective). start() may only be called when the last start() has been followed by wait(). A channel must
/// not be destroyed between the two, unless an exception ends the work.
class ATOLL_API Channel {
 public:
  virtual ~Channel() = default;
  virtual void start() = 0;
  virtual void wait() = 0;
  /// Whether all messages of the last start() are through, without waiting; wait() then returns at once.
  virtual bool test() = 0;
};

enum class ChannelKind { persistent, neighborhood };
ATOLL_API std::string_view to_string(ChannelKind kind);

struct CollectiveCall; // one rank's call of a collective, for comparison

/// The ranks that work together. The only way in which Atoll talks between ranks.
/// Ranks      Members marked "collective" must be called by all ranks in the same order; the others are local
/// or
///            between two ranks. Destructors never communicate.
/// Tags       Messages of one pair of ranks and one tag arrive in the order in which they were sent. There is
/// no
///            wildcard receive; a receive must ask for exactly the bytes that are sent. A send may finish as
///            late as its receive: post both before waiting for either.
/// Errors     Error{internal} for a misuse that can be seen; with check_collectives(true), ranks that enter
///            different collectives get an Error{internal} that names both calls, instead of a hang.
/// Threads    one communicator is used by one thread at a time.
class ATOLL_API Communicator {
 public:
  using Where = std::source_location;

  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual std::string name() const = 0; ///< "self", "mpi", "virtual"

  // ---- collective
  void barrier(Where where = Where::current());
  void all_reduce(std::span<double> values, ReduceOp op, Where where = Where::current());
  void all_reduce(std::span<std::int64_t> values, ReduceOp op, Where where = Where::current());
  double all_reduce(double value, ReduceOp op, Where where = Where::current());
  std::int64_t all_reduce(std::int64_t value, ReduceOp op, Where where = Where::current());
  /// Starts a reduction that goes on beside other work; `values` is in use until wait(). `spent`, the request of an
  /// earlier one that was waited for, is used again, so that a reduction over and over allocates nothing.
  [[nodiscard]] RequestPtr start_all_reduce(std::span<double> values, ReduceOp op, RequestPtr spent = {},
                                            Where where = Where::current());
  /// Sum over the ranks before this one; 0 on rank 0.
  std::int64_t exclusive_sum(std::int64_t value, Where where = Where::current());
  void broadcast(std::span<std::byte> bytes, int root, Where where = Where::current());
  /// A string from root to all; its length need not be known elsewhere.
  std::string broadcast(const std::string& text, int root, Where where = Where::current());
  /// One value of every rank, by rank. Length size(): for set-up, not to be kept.
  std::vector<std::int64_t> all_gather(std::int64_t value, Where where = Where::current());
  /// Channel over fixed buffers: recv_buffer is filled in the order of `recv`, send_buffer read in that of `send`.
  /// Both ends name the same bytes for each other. Collective, since a neighbourhood may need all ranks.
  [[nodiscard]] std::unique_ptr<Channel> open_channel(ChannelKind kind, std::span<const ChannelPeer> send,
                                                      const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                                      std::byte* recv_buffer, Where where = Where::current());

  /// The lowest rank that says yes; size() where none does. One reduction: the first half of agree().
  int lowest_rank_where(bool yes, Where where = Where::current());

  // ---- between two ranks (to itself allowed); at most 2^31 - 1 bytes a message, else Error{limit}
  [[nodiscard]] RequestPtr send(std::span<const std::byte> bytes, int to, int tag, Where where = Where::current());
  [[nodiscard]] RequestPtr receive(std::span<std::byte> bytes, int from, int tag, Where where = Where::current());

  /// Each collective first compares a fingerprint of the call over all ranks. On in debug builds.
  void check_collectives(bool on) { checked_ = on; }
  bool checks_collectives() const { return checked_; }

  /// A tag that no other object on these ranks uses at the time; all ranks must ask in the same order.
  virtual int next_tag() = 0;
  /// Seconds on this rank's clock, for limits on waiting. The virtual cluster has its own, repeatable time.
  virtual double seconds() const = 0;
  /// Keeps something alive for as long as messages of this communicator may still reach it.
  virtual void keep(std::shared_ptr<void> thing) = 0;

 protected:
  virtual RequestPtr do_send(std::span<const std::byte> bytes, int to, int tag, const Where& where) = 0;
  virtual RequestPtr do_receive(std::span<std::byte> bytes, int from, int tag, const Where& where) = 0;
  virtual void do_barrier() = 0;
  virtual void do_all_reduce(std::span<double> values, ReduceOp op) = 0;
  virtual void do_all_reduce(std::span<std::int64_t> values, ReduceOp op) = 0;
  virtual RequestPtr do_start_all_reduce(std::span<double> values, ReduceOp op, RequestPtr spent) = 0;
  virtual std::int64_t do_exclusive_sum(std::int64_t value) = 0;
  virtual void do_broadcast(std::span<std::byte> bytes, int root) = 0;
  /// all.size() = size() * mine.size()
  virtual void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
  virtual std::unique_ptr<Channel> do_open_channel(ChannelKind kind, std::span<const ChannelPeer> send,
                                                   const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                                   std::byte* recv_buffer, int tag) = 0;
  /// Throws the same Error on all ranks unless they all bring this call. By default an all-gather of the
  /// records.
  virtual void compare_calls(const CollectiveCall& mine);

 private:
  void check(std::string_view operation, std::size_t size, int root, const Where& where);
  void check_peer(int peer, std::size_t bytes, int tag, const Where& where) const;

#ifdef NDEBUG
  bool checked_ = false;
#else
  bool checked_ = true;
#endif
  std::int64_t sequence_ = 0;
};

using CommunicatorPtr = std::shared_ptr<Communicator>;

/// One rank, no MPI. Works before MPI_Init and after MPI_Finalize.
ATOLL_API CommunicatorPtr make_self_communicator();

/// The bytes of a contiguous range of trivially copyable values.
template <class T>
std::span<const std::byte> bytes_of(std::span<const T> values) {
  return std::as_bytes(values);
}

} // namespace atl
