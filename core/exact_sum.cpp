#include <atoll/core/exact_sum.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace atl {

namespace {

constexpr int digit_bits = 32;
constexpr int lowest_exponent = -1088; ///< of the first digit
constexpr std::int64_t base = std::int64_t{1} << digit_bits;
constexpr std::int32_t most_terms = (1 << 30);

} // namespace

void ExactSum::add(double term) {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7ff);
  std::uint64_t mantissa = bits & ((std::uint64_t{1} << 52) - 1);
  if (exponent == 0x7ff) {
    ++digit_[n_digits];
    return;
  }
  if (exponent > 0) mantissa |= std::uint64_t{1} << 52;
  // term = mantissa * 2^place
  const int place = (exponent > 0 ? exponent : 1) - 1075 - lowest_exponent;
  const auto first = static_cast<std::size_t>(place / digit_bits);
  const int shift = place % digit_bits;
  const auto low = static_cast<std::int64_t>((mantissa << shift) & (base - 1));
  const auto middle =
      static_cast<std::int64_t>((shift ? mantissa >> (digit_bits - shift) : mantissa >> digit_bits) & (base - 1));
  const auto high = static_cast<std::int64_t>(shift ? mantissa >> (2 * digit_bits - shift) : 0);
  const std::int64_t sign = bits >> 63 ? -1 : 1;
  digit_[first] += sign * low;
  digit_[first + 1] += sign * middle;
  digit_[first + 2] += sign * high;
  if (++terms_ == most_terms) carry();
}

void ExactSum::add(const ExactSum& other) {
  carry();
  ExactSum carried = other;
  carried.carry();
  for (std::size_t i = 0; i <= n_digits; ++i) digit_[i] += carried.digit_[i];
  terms_ = 2;
}

void ExactSum::carry() {
  for (std::size_t i = 0; i + 1 < n_digits; ++i) {
    const std::int64_t over = digit_[i] / base; // towards zero, so that digits keep their sign
    digit_[i] -= over * base;
    digit_[i + 1] += over;
  }
  terms_ = 1;
}

double ExactSum::value() const {
  if (digit_[n_digits] != 0) return std::numeric_limits<double>::quiet_NaN();
  // The sign is that of the highest digit once all have been made to agree with it.
  ExactSum sum = *this;
  sum.carry();
  std::size_t top = n_digits;
  while (top > 0 && sum.digit_[top - 1] == 0) --top;
  if (top == 0) return 0;
  const std::int64_t sign = sum.digit_[top - 1] < 0 ? -1 : 1;
  for (std::size_t i = 0; i < top; ++i) sum.digit_[i] *= sign;
  for (std::size_t i = 0; i + 1 < top; ++i)
    if (sum.digit_[i] < 0) {
      sum.digit_[i] += base;
      --sum.digit_[i + 1];
    }
  while (top > 0 && sum.digit_[top - 1] == 0) --top;
  if (top == 0) return 0;

  // The leading 64 bits, the last of them sticky for all that follows: one rounding.
  std::uint64_t lead = static_cast<std::uint64_t>(sum.digit_[top - 1]);
  const int used = static_cast<int>(std::bit_width(lead));
  std::size_t next = top - 1;
  int room = 64 - used;
  bool sticky = false;
  while (room > 0 && next > 0) {
    const auto digit = static_cast<std::uint64_t>(sum.digit_[--next]);
    const int take = room < digit_bits ? room : digit_bits;
    lead = (lead << take) | (digit >> (digit_bits - take));
    sticky = take < digit_bits && (digit & ((std::uint64_t{1} << (digit_bits - take)) - 1)) != 0;
    room -= take;
  }
  for (std::size_t i = 0; i < next && !sticky; ++i) sticky = sum.digit_[i] != 0;
  const int exponent = lowest_exponent + static_cast<int>(top - 1) * digit_bits + used - (64 - room);
  if (sticky) lead |= 1;
  // Subnormal results would be rounded twice by ldexp(); rounding to an odd last bit first makes that harmless as
  // long as 2 bits or more are cut off, which 64 bits for a mantissa of 53 ensure.
  return static_cast<double>(sign) * std::ldexp(static_cast<double>(lead), exponent);
}

} // namespace atl
