#pragma once
/// Private to io: numbers from text, independent of the locale.
///
/// All functions read from [p, end) where *end is a readable byte that no number contains (a newline), and
/// advance p past what they have read.

#include <atoll/core/types.hpp>

#include <cstdint>
#include <string_view>

namespace atl {

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

enum class NumberStatus {
  ok,
  malformed, ///< no number here
  too_large  ///< beyond the type's range, infinite, or not a number
};

/// A whole number with an optional sign. p stays where it was unless the status is ok.
ATOLL_API NumberStatus parse_integer(const char*& p, const char* end, std::int64_t& value);

/// A decimal number: optional sign, decimal point anywhere, exponent with e, E, d or D. Correctly rounded;
/// values below the smallest become zero. p stays where it was unless the status is ok.
ATOLL_API NumberStatus parse_real(const char*& p, const char* end, double& value);

} // namespace atl
