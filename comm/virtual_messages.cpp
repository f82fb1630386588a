#include <atoll/comm/collective_call.hpp>
#include <atoll/comm/virtual_messages.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace atl {

bool has_fault(const VirtualClusterOptions& options, ChannelKind kind, VirtualClusterOptions::Fault fault) {
  return options.channel_fault == fault && options.faulty_kind.value_or(kind) == kind;
}

std::string VirtualCall::place() const {
  if (channel) return fmt::format("{} channel {}", to_string(*channel), tag);
  return fmt::format("tag {}, at {}", tag, place_of(where));
}

std::string VirtualCall::text() const {
  return sends ? fmt::format("waits until rank {} receives its {} bytes ({})", peer, bytes, place())
               : fmt::format("waits for {} bytes from rank {} ({})", bytes, peer, place());
}

void VirtualMessages::post(const VirtualCallPtr& call) {
  if (call->sends) {
    ++traffic_.messages;
    traffic_.bytes += static_cast<std::int64_t>(call->bytes);
  }
  const int kind = call->channel ? 1 + static_cast<int>(*call->channel) : 0;
  const auto [sender, receiver] = call->sends ? std::pair(call->rank, call->peer) : std::pair(call->peer, call->rank);
  auto& queue = waiting_[{sender, receiver, kind, call->tag}];
  if (queue.empty() || queue.front()->sends == call->sends) {
    queue.push_back(call);
    return;
  }
  const VirtualCallPtr other = queue.front();
  queue.pop_front();
  if (queue.empty()) waiting_.erase({sender, receiver, kind, call->tag});
  join(call, other);
}

void VirtualMessages::join(const VirtualCallPtr& a, const VirtualCallPtr& b) {
  const VirtualCallPtr &from = a->sends ? a : b, &to = a->sends ? b : a;
  if (from->bytes != to->bytes) {
    scheduler_.fail(Error(ErrorKind::internal,
                          fmt::format("rank {} sends {} bytes to rank {} ({}), which receives {} bytes ({})",
                                      from->rank, from->bytes, to->rank, from->place(), to->bytes, to->place())));
    return;
  }
  scheduler_.later([this, from, to] { deliver(*from, *to); });
}

void VirtualMessages::deliver(VirtualCall& from, VirtualCall& to) {
  if (from.dropped || to.dropped) return;
  if (from.bytes > 0) {
    std::memmove(to.buffer, from.buffer, from.bytes);
    if (to.channel && has_fault(options_, *to.channel, VirtualClusterOptions::Fault::wrong_data))
      to.buffer[from.bytes / 2] ^= std::byte{0x40};
  }
  scheduler_.finish(from);
  scheduler_.finish(to);
}

void VirtualMessages::drop(const VirtualCallPtr& call) {
  call->dropped = true;
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    std::erase(at->second, call);
    at = at->second.empty() ? waiting_.erase(at) : std::next(at);
  }
}

void VirtualMessages::require_none_left() const {
  if (waiting_.empty()) return;
  const VirtualCall& call = *waiting_.begin()->second.front();
  throw Error(ErrorKind::internal,
              call.sends ? fmt::format("rank {} sent {} bytes to rank {} ({}), which never received them", call.rank,
                                       call.bytes, call.peer, call.place())
                         : fmt::format("rank {} receives {} bytes from rank {} ({}), which never sent them",
                                       call.rank, call.bytes, call.peer, call.place()));
}

} // namespace atl
