#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace atl {

/// "1 row", "2 rows"; the plural is the noun and an s.
inline std::string number_of(std::int64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + ' ' + std::string(noun);
  if (count != 1) text += 's';
  return text;
}

} // namespace atl
