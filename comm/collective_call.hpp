#pragma once
/// Not installed: how collectives of different ranks are compared.

#include <atoll/comm/communicator.hpp>

#include <string>
#include <string_view>

namespace atl {

/// One rank's call of a collective, of fixed size so that it can travel before anything else is known.
struct CollectiveCall {
  char operation[32] = {};
  char place[88] = {}; ///< the end of "folder/file.cpp:line"
  std::int64_t sequence = 0;
  std::int64_t size = 0; ///< values, or bytes where only bytes are known
  std::int64_t root = 0;

  CollectiveCall() = default;
  CollectiveCall(std::string_view operation, std::int64_t sequence, std::int64_t size, int root,
                 const std::source_location& where);

  /// Different source lines may meet in one collective; different operations may not.
  bool same_as(const CollectiveCall& other) const;
  std::string text() const;
};

/// Throws Error{internal} that names two calls and their ranks unless all ranks bring the same.
void require_same(std::span<const CollectiveCall> calls);

/// "folder/file.cpp:12"
std::string place_of(const std::source_location& where);

} // namespace atl
