#pragma once

#include <atoll/core/types.hpp>

#include <array>
#include <span>

namespace atl {

/// The exact sum of doubles, as one long fixed-point number, so that neither the order of the terms nor how they are
/// spread over threads and ranks can change it. Sums of sums over ranks are sums of the digits.
/// Source     Kulisch & Miranker, Computer Arithmetic in Theory and Practice (1981): the long accumulator.
class ATOLL_API ExactSum {
 public:
  /// 32 bits a digit from 2^-1088 up, in 64, so that 2^31 terms need no carry; the last counts terms that are not
  /// finite.
  static constexpr std::size_t n_digits = 70;
  using Digits = std::array<std::int64_t, n_digits + 1>;

  void add(double term);
  void add(const ExactSum& other);
  void clear() { *this = {}; }

  /// Carries, after which every digit is below 2^32 in size: then up to 2^31 ranks may sum theirs.
  void carry();
  std::span<std::int64_t> digits() { return digit_; }
  /// Rounded to nearest; NaN when a term was not finite.
  double value() const;

 private:
  Digits digit_{};
  std::int32_t terms_ = 0; ///< since the last carry
};

} // namespace atl
