#include <atoll/io/number_parser.hpp>

#include <charconv>
#include <cmath>
#include <string>

namespace atl {
namespace {

constexpr double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t exact_integers = std::uint64_t{1} << 53;

bool is_exponent_letter(char c) { return c == 'e' || c == 'E' || c == 'd' || c == 'D'; }

/// A decimal number as it is written: 0.digits * 10^point, first digit not zero unless all are.
struct Decimal {
  bool negative = false;
  std::uint64_t digits = 0;  ///< the leading ones, as an integer; exact while few_digits
  int significant = 0;       ///< how many there are, leading zeros apart
  std::int64_t exponent = 0; ///< value = digits * 10^exponent while few_digits
  bool fortran = false;      ///< exponent letter d
  bool few_digits() const { return significant <= 19; }
};

/// Digits up to a point or behind it; returns how many were read.
std::int64_t read_digits(const char*& p, Decimal& decimal) {
  const char* begin = p;
  for (; is_digit(*p); ++p) {
    if (decimal.significant < 19) decimal.digits = 10 * decimal.digits + static_cast<unsigned>(*p - '0');
    if (decimal.digits) ++decimal.significant;
  }
  return p - begin;
}

/// Reads the exponent after its letter. Exponents beyond a million are all the same.
bool read_exponent(const char*& p, std::int64_t& exponent) {
  const bool negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  if (!is_digit(*p)) return false;
  std::int64_t value = 0;
  for (; is_digit(*p); ++p)
    if (value < 1'000'000) value = 10 * value + (*p - '0');
  exponent += negative ? -value : value;
  return true;
}

bool read_decimal(const char*& p, Decimal& decimal) {
  decimal.negative = *p == '-';
  if (*p == '-' || *p == '+') ++p;
  const std::int64_t whole = read_digits(p, decimal);
  std::int64_t fraction = 0;
  if (*p == '.') {
    ++p;
    fraction = read_digits(p, decimal);
    decimal.exponent = -fraction;
  }
  if (whole + fraction == 0) return false;
  if (!is_exponent_letter(*p)) return true;
  decimal.fortran = *p == 'd' || *p == 'D';
  ++p;
  return read_exponent(p, decimal.exponent);
}

/// Exact where digits and power of ten both are (Clinger, How to read floating point numbers accurately,
/// 1990).
bool exact_product(const Decimal& decimal, double& value) {
  if (!decimal.few_digits() || decimal.digits > exact_integers) return false;
  if (decimal.exponent < -22 || decimal.exponent > 22) return false;
  const auto digits = static_cast<double>(decimal.digits);
  value = decimal.exponent < 0 ? digits / power_of_ten[-decimal.exponent] : digits * power_of_ten[decimal.exponent];
  return true;
}

/// The standard library's correctly rounded conversion of [begin, end), which holds a well-formed number
/// without '+'.
NumberStatus convert(const char* begin, const char* end, const Decimal& decimal, double& value) {
  std::string copy;
  if (decimal.fortran) {
    copy.assign(begin, end);
    for (char& c : copy)
      if (c == 'd' || c == 'D') c = 'e';
    begin = copy.data();
    end = begin + copy.size();
  }
  const auto [stop, error] = std::from_chars(begin, end, value);
  if (error == std::errc::result_out_of_range) {
    // Too large or too small? Numbers of up to 19 digits tell by their exponent, longer ones by their length.
    const std::int64_t magnitude = decimal.exponent + decimal.significant;
    if (magnitude > 0) return NumberStatus::too_large;
    value = 0;
    return NumberStatus::ok;
  }
  if (error != std::errc{} || stop != end) return NumberStatus::malformed;
  return std::isfinite(value) ? NumberStatus::ok : NumberStatus::too_large;
}

/// nan and inf are words that a number may not be.
NumberStatus word_status(const char* p, const char* end) {
  if (p != end && (*p == '-' || *p == '+')) ++p;
  if (end - p < 3) return NumberStatus::malformed;
  const auto lower = [&](int i) { return static_cast<char>(p[i] | 0x20); };
  const bool nan = lower(0) == 'n' && lower(1) == 'a' && lower(2) == 'n';
  const bool infinity = lower(0) == 'i' && lower(1) == 'n' && lower(2) == 'f';
  return nan || infinity ? NumberStatus::too_large : NumberStatus::malformed;
}

} // namespace

NumberStatus parse_integer(const char*& p, const char*, std::int64_t& value) {
  const char* q = p;
  const bool negative = *q == '-';
  if (*q == '-' || *q == '+') ++q;
  if (!is_digit(*q)) return NumberStatus::malformed;
  std::int64_t result = 0;
  const char* first = q;
  for (; is_digit(*q); ++q) {
    if (q - first < 18) {
      result = 10 * result + (*q - '0');
    } else if (__builtin_mul_overflow(result, 10, &result) || __builtin_add_overflow(result, *q - '0', &result)) {
      return NumberStatus::too_large;
    }
  }
  value = negative ? -result : result;
  p = q;
  return NumberStatus::ok;
}

NumberStatus parse_real(const char*& p, const char* end, double& value) {
  Decimal decimal;
  const char* q = p;
  if (!read_decimal(q, decimal)) return word_status(p, end);
  if (exact_product(decimal, value)) {
    if (decimal.negative) value = -value;
    p = q;
    return NumberStatus::ok;
  }
  const char* digits = *p == '-' || *p == '+' ? p + 1 : p;
  const NumberStatus status = convert(digits, q, decimal, value);
  if (status != NumberStatus::ok) return status;
  if (decimal.negative) value = -value;
  p = q;
  return status;
}

} // namespace atl
