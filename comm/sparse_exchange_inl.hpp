#pragma once

#include <atoll/comm/sparse_exchange.hpp>

#include <cstring>
#include <type_traits>

namespace atl {
namespace detail {

/// Offset of each peer's first item, where items are grouped by peer; one more at the end.
ATOLL_API std::vector<Offset> item_offsets(std::span<const PeerCount> peers);

} // namespace detail

template <class T>
std::vector<T> exchange(BulkExchange& plan, std::span<const T> items) {
  static_assert(std::is_trivially_copyable_v<T>);
  const std::vector<Offset> from = detail::item_offsets(plan.destinations());
  const std::vector<Offset> to = detail::item_offsets(plan.sources());
  ensure(std::ssize(items) == from.back(), "an exchange is given as many items as its plan counts");
  std::vector<T> received(static_cast<std::size_t>(to.back()));
  plan.run(
      sizeof(T),
      [&](std::size_t d, Offset first, Offset count, std::byte* out) {
        std::memcpy(out, items.data() + from[d] + first, static_cast<std::size_t>(count) * sizeof(T));
      },
      [&](std::size_t s, Offset first, Offset count, const std::byte* in) {
        std::memcpy(received.data() + to[s] + first, in, static_cast<std::size_t>(count) * sizeof(T));
      });
  return received;
}

template <class T>
std::vector<T> exchange_back(const BulkExchange& plan, std::span<const T> answers) {
  BulkExchange back = plan.reverse();
  return exchange(back, answers);
}

} // namespace atl
