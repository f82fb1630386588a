#include <atoll/comm/agree.hpp>
#include <atoll/comm/collective_call.hpp>
#include <atoll/comm/communicator.hpp>

#include <fmt/format.h>

#include <limits>
#include <optional>

namespace atl {
namespace {

constexpr std::size_t most_bytes = std::numeric_limits<int>::max(); // MPI counts in int

std::string_view name_of(ReduceOp op, bool real) {
  switch (op) {
  case ReduceOp::sum:
    return real ? "all_reduce(sum, double)" : "all_reduce(sum, int64)";
  case ReduceOp::min:
    return real ? "all_reduce(min, double)" : "all_reduce(min, int64)";
  case ReduceOp::max:
    return real ? "all_reduce(max, double)" : "all_reduce(max, int64)";
  }
  return "all_reduce";
}

std::optional<Error> find_fault(std::span<const ChannelPeer> peers, int ranks, const std::source_location& where) {
  std::size_t all = 0;
  for (const ChannelPeer& peer : peers) {
    if (peer.rank < 0 || peer.rank >= ranks)
      return Error(ErrorKind::internal, fmt::format("a channel to rank {}, but there are {} ranks", peer.rank, ranks),
                   place_of(where));
    all += peer.bytes;
    if (all > most_bytes)
      return Error(ErrorKind::limit,
                   fmt::format("a rank exchanges more than {} bytes with its neighbours at once: use more ranks, or "
                               "fewer columns in a block of vectors",
                               most_bytes),
                   place_of(where));
  }
  return std::nullopt;
}

} // namespace

std::string_view to_string(ChannelKind kind) {
  return kind == ChannelKind::persistent ? "persistent" : "neighborhood";
}

void Communicator::compare_calls(const CollectiveCall& mine) {
  std::vector<CollectiveCall> all(static_cast<std::size_t>(size()));
  do_all_gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
  require_same(all);
}

void Communicator::check(std::string_view operation, std::size_t size_of_call, int root, const Where& where) {
  ++sequence_;
  if (checked_ && size() > 1)
    compare_calls(CollectiveCall(operation, sequence_, static_cast<std::int64_t>(size_of_call), root, where));
}

void Communicator::barrier(Where where) {
  check("barrier", 0, -1, where);
  do_barrier();
}

void Communicator::all_reduce(std::span<double> values, ReduceOp op, Where where) {
  check(name_of(op, true), values.size(), -1, where);
  do_all_reduce(values, op);
}

void Communicator::all_reduce(std::span<std::int64_t> values, ReduceOp op, Where where) {
  check(name_of(op, false), values.size(), -1, where);
  do_all_reduce(values, op);
}

double Communicator::all_reduce(double value, ReduceOp op, Where where) {
  all_reduce(std::span(&value, 1), op, where);
  return value;
}

std::int64_t Communicator::all_reduce(std::int64_t value, ReduceOp op, Where where) {
  all_reduce(std::span(&value, 1), op, where);
  return value;
}

RequestPtr Communicator::start_all_reduce(std::span<double> values, ReduceOp op, RequestPtr spent, Where where) {
  check(name_of(op, true), values.size(), -1, where);
  return do_start_all_reduce(values, op, std::move(spent));
}

std::int64_t Communicator::exclusive_sum(std::int64_t value, Where where) {
  check("exclusive_sum", 1, -1, where);
  return do_exclusive_sum(value);
}

void Communicator::broadcast(std::span<std::byte> bytes, int root, Where where) {
  check("broadcast", bytes.size(), root, where);
  do_broadcast(bytes, root);
}

std::string Communicator::broadcast(const std::string& text, int root, Where where) {
  check("broadcast of text", 0, root, where); // the length is known to the root alone
  std::int64_t length = std::ssize(text);
  do_broadcast(std::as_writable_bytes(std::span(&length, 1)), root);
  std::string copy = rank() == root ? text : std::string(static_cast<std::size_t>(length), '\0');
  do_broadcast(std::as_writable_bytes(std::span(copy)), root);
  return copy;
}

std::vector<std::int64_t> Communicator::all_gather(std::int64_t value, Where where) {
  check("all_gather", 1, -1, where);
  std::vector<std::int64_t> all(static_cast<std::size_t>(size()));
  do_all_gather(std::as_bytes(std::span(&value, 1)), std::as_writable_bytes(std::span(all)));
  return all;
}

int Communicator::lowest_rank_where(bool yes, Where where) {
  check("agree", 1, -1, where);
  std::int64_t lowest = yes ? rank() : size();
  do_all_reduce(std::span(&lowest, 1), ReduceOp::min);
  return static_cast<int>(lowest);
}

std::unique_ptr<Channel> Communicator::open_channel(ChannelKind kind, std::span<const ChannelPeer> send,
                                                    const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                                    std::byte* recv_buffer, Where where) {
  check(kind == ChannelKind::persistent ? "open_channel(persistent)" : "open_channel(neighborhood)", 0, -1, where);
  auto fault = find_fault(send, size(), where);
  if (!fault) fault = find_fault(recv, size(), where);
  std::int64_t failed = fault ? 1 : 0;
  do_all_reduce(std::span(&failed, 1), ReduceOp::max);
  if (failed) agree(*this, fault, where);
  return do_open_channel(kind, send, send_buffer, recv, recv_buffer, next_tag());
}

void Communicator::check_peer(int peer, std::size_t bytes, int tag, const Where& where) const {
  if (peer < 0 || peer >= size())
    throw Error(ErrorKind::internal,
                fmt::format("a message to or from rank {}, but there are {} ranks", peer, size()), place_of(where));
  if (tag < 0)
    throw Error(ErrorKind::internal, fmt::format("the tag {} of a message is negative", tag), place_of(where));
  if (bytes > most_bytes)
    throw Error(ErrorKind::limit, fmt::format("a message of {} bytes; at most {} are possible", bytes, most_bytes),
                place_of(where));
}

RequestPtr Communicator::send(std::span<const std::byte> bytes, int to, int tag, Where where) {
  check_peer(to, bytes.size(), tag, where);
  return do_send(bytes, to, tag, where);
}

RequestPtr Communicator::receive(std::span<std::byte> bytes, int from, int tag, Where where) {
  check_peer(from, bytes.size(), tag, where);
  return do_receive(bytes, from, tag, where);
}

} // namespace atl
