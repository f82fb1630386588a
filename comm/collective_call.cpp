#include <atoll/comm/collective_call.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace atl {
namespace {

template <std::size_t N>
void copy_end(std::string_view text, char (&out)[N]) {
  if (text.size() >= N) text.remove_prefix(text.size() - (N - 1));
  std::memcpy(out, text.data(), text.size());
}

} // namespace

std::string place_of(const std::source_location& where) {
  std::string_view file = where.file_name();
  const auto slash = file.rfind('/');
  if (slash != std::string_view::npos && slash > 0) {
    const auto folder = file.rfind('/', slash - 1);
    if (folder != std::string_view::npos) file.remove_prefix(folder + 1);
  }
  return fmt::format("{}:{}", file, where.line());
}

CollectiveCall::CollectiveCall(std::string_view name, std::int64_t number, std::int64_t values, int from,
                               const std::source_location& where)
    : sequence(number), size(values), root(from) {
  copy_end(name, operation);
  copy_end(place_of(where), place);
}

bool CollectiveCall::same_as(const CollectiveCall& other) const {
  return std::string_view(operation) == other.operation && sequence == other.sequence && size == other.size &&
         root == other.root;
}

std::string CollectiveCall::text() const {
  return fmt::format("{} of {}{} at {} (its collective {})", operation, size,
                     root < 0 ? std::string() : fmt::format(" from rank {}", root), place, sequence);
}

void require_same(std::span<const CollectiveCall> calls) {
  const auto other =
      std::find_if(calls.begin(), calls.end(), [&](const CollectiveCall& call) { return !call.same_as(calls[0]); });
  if (other == calls.end()) return;
  throw Error(ErrorKind::internal,
              fmt::format("ranks have parted: rank 0 calls {}, but rank {} calls {}; all ranks must call the same "
                          "collectives in the same order",
                          calls[0].text(), other - calls.begin(), other->text()));
}

} // namespace atl
