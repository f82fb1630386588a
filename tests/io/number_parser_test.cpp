#include <atoll/io/number_parser.hpp>

#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <locale>
#include <string>

namespace atl {
namespace {

/// Parses all of `text`; NaN where it is refused or something is left.
double real(const std::string& text) {
  const std::string line = text + '\n';
  const char* p = line.data();
  double value = 0;
  const bool ok = parse_real(p, line.data() + text.size(), value) == NumberStatus::ok;
  return ok && *p == '\n' ? value : std::nan("");
}

NumberStatus real_status(const std::string& text) {
  const std::string line = text + '\n';
  const char* p = line.data();
  double value = 0;
  const NumberStatus status = parse_real(p, line.data() + text.size(), value);
  EXPECT_TRUE(status == NumberStatus::ok || p == line.data()) << text;
  return status;
}

TEST(NumberParser, ReadsDecimalsOfAnyForm) {
  EXPECT_EQ(real("0"), 0.0);
  EXPECT_EQ(real("-1"), -1.0);
  EXPECT_EQ(real("+2.5"), 2.5);
  EXPECT_EQ(real(".5"), 0.5);
  EXPECT_EQ(real("5."), 5.0);
  EXPECT_EQ(real("-.25E+2"), -25.0);
  EXPECT_EQ(real("1.0D+03"), 1000.0);
  EXPECT_EQ(real("12d-1"), 1.2);
  EXPECT_EQ(real("1.2345678901234567890D2"), 123.45678901234568);
  EXPECT_EQ(real("000000000000000000000000000001.5"), 1.5);
  EXPECT_TRUE(std::signbit(real("-0.0")));
}

TEST(NumberParser, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "+", "-", ".", "-.", "e5", "1e", "1e+", "1.e-", "--1", "+-1", "x", "one", "na", "i"})
    EXPECT_EQ(real_status(text), NumberStatus::malformed) << text;
  for (const char* text : {"nan", "NaN", "-nan(1)", "inf", "+Infinity", "-INF", "1e309", "-1e99999999999999999999"})
    EXPECT_EQ(real_status(text), NumberStatus::too_large) << text;
}

TEST(NumberParser, RoundsToZeroBelowTheSmallestNumber) {
  EXPECT_EQ(real("1e-400"), 0.0);
  EXPECT_EQ(real("-1e-99999999999999999999"), 0.0);
  EXPECT_EQ(real("0e99999"), 0.0);
  EXPECT_EQ(real("4.9406564584124654e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(real("1.7976931348623157e308"), std::numeric_limits<double>::max());
  EXPECT_EQ(real("0." + std::string(400, '0') + "1e401"), 1.0);
  EXPECT_EQ(real("1" + std::string(400, '0') + "e-400"), 1.0);
}

// The C library in its "C" locale is the oracle.
TEST(NumberParser, AgreesWithTheCLibraryToTheLastBit) {
  test::Random random(7);
  for (int trial = 0; trial < 30000; ++trial) {
    char text[64];
    const auto bits = random.next();
    auto value = std::bit_cast<double>(bits);
    if (!std::isfinite(value) || trial % 3 == 0)
      value = random.uniform(-1, 1) * std::pow(10.0, random.below(30) - 15);
    std::snprintf(text, sizeof text, trial % 2 ? "%.*e" : "%.*g", static_cast<int>(random.below(20)), value);
    const double expected = std::strtod(text, nullptr);
    if (!std::isfinite(expected)) continue;
    EXPECT_EQ(real(text), expected) << text;
  }
}

// alugowski and others: readers that follow the process's locale take 2.5 for 2 (opensim-org/opensim-core#3943).
TEST(NumberParser, IgnoresTheLocale) {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
  };
  const std::locale before = std::locale::global(std::locale(std::locale(), new Comma));
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"})
    if (std::setlocale(LC_ALL, name)) break;
  EXPECT_EQ(real("2.5"), 2.5);
  EXPECT_EQ(real("3.141592653589793238"), 3.141592653589793238);
  std::setlocale(LC_ALL, "C");
  std::locale::global(before);
}

std::int64_t integer(const std::string& text, NumberStatus expected = NumberStatus::ok) {
  const std::string line = text + '\n';
  const char* p = line.data();
  std::int64_t value = -77;
  EXPECT_EQ(parse_integer(p, line.data() + text.size(), value), expected) << text;
  return value;
}

TEST(NumberParser, ReadsIntegersOf64Bits) {
  EXPECT_EQ(integer("0"), 0);
  EXPECT_EQ(integer("+7"), 7);
  EXPECT_EQ(integer("-12"), -12);
  EXPECT_EQ(integer("3000000000"), 3000000000);
  EXPECT_EQ(integer("000000000000000000000000012"), 12);
  EXPECT_EQ(integer("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  integer("9223372036854775808", NumberStatus::too_large);
  integer("99999999999999999999999999", NumberStatus::too_large);
  for (const char* text : {"", "-", "x1", ".5"}) integer(text, NumberStatus::malformed);
}

} // namespace
} // namespace atl
