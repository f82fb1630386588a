#pragma once
/// The values of a packed matrix where they are few.

#include <atoll/core/types.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace atl::packing {

template <class T>
bool fits_single(T value) {
  if constexpr (std::is_same_v<T, float>)
    return false; // nothing to gain
  else
    return std::bit_cast<std::uint64_t>(static_cast<T>(static_cast<float>(value))) ==
           std::bit_cast<std::uint64_t>(value);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The distinct values of a matrix, while there are at most 256.
template <class T>
class Palette {
 public:
  void add(std::span<const T> values) {
    for (const T value : values) {
      if (full_) return;
      if (last_ == std::bit_cast<Bits<T>>(value) && !code_.empty()) continue;
      last_ = std::bit_cast<Bits<T>>(value);
      code_.try_emplace(last_, static_cast<std::uint8_t>(code_.size()));
      full_ = code_.size() > 256;
    }
  }
  bool usable() const { return !full_; }
  bool full() const { return full_; }
  std::uint8_t code(T value) const { return code_.at(std::bit_cast<Bits<T>>(value)); }
  /// The values as floats where there are at most 8 and none changes.
  std::vector<float> few() const {
    std::vector<float> values(8);
    if (code_.size() > values.size()) return {};
    for (const auto& [bits, code] : code_) {
      if (!fits_single(std::bit_cast<T>(bits))) return {};
      values[code] = static_cast<float>(std::bit_cast<T>(bits));
    }
    return values;
  }
  std::vector<T> values() const {
    std::vector<T> values(256);
    for (const auto& [bits, code] : code_) values[code] = std::bit_cast<T>(bits);
    return values;
  }

 private:
  std::unordered_map<Bits<T>, std::uint8_t> code_;
  Bits<T> last_ = 0;
  bool full_ = false;
};

} // namespace atl::packing
