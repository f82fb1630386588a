#pragma once
/// Integer types by role. A narrowing conversion is spelt `narrow<To>(value)` and is checked.

#include <atoll/core/error.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace atl {

using LocalIndex = std::int32_t;  ///< a row or column stored on this rank: owned, then ghosts
using GlobalIndex = std::int64_t; ///< a row or column of the whole problem
using Offset = std::int64_t;      ///< a position in an array of entries; a count of entries or bytes

/// Dots and norms of float vectors are carried in double.
template <class T>
struct AccumulatorOf {
  using type = T;
};
template <>
struct AccumulatorOf<float> {
  using type = double;
};
template <class T>
using Accumulator = typename AccumulatorOf<T>::type;

[[noreturn]] ATOLL_API void throw_narrowing(std::int64_t value, std::int64_t low, std::int64_t high);

/// Integer conversion that throws Error{limit} when the value does not fit.
template <class To, class From>
constexpr To narrow(From value) {
  if (!std::in_range<To>(value))
    throw_narrowing(static_cast<std::int64_t>(value), static_cast<std::int64_t>(std::numeric_limits<To>::min()),
                    static_cast<std::int64_t>(std::numeric_limits<To>::max()));
  return static_cast<To>(value);
}

} // namespace atl
