#include <atoll/io/matrix_market_text.hpp>
#include <atoll/io/number_parser.hpp>

#include <fmt/format.h>

#include <cmath>

namespace atl {
namespace {

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::bad_input, what); }

void skip_blanks(const char*& p) {
  while (is_blank(*p)) ++p;
}

/// The next word, made printable and short.
std::string quoted_word(const char* p, const char* end) {
  std::string word = "'";
  for (; p != end && !is_blank(*p) && word.size() < 40; ++p) {
    const auto byte = static_cast<unsigned char>(*p);
    if (byte < 32 || byte > 126)
      word += fmt::format("\\x{:02x}", byte);
    else
      word += *p;
  }
  if (p != end && !is_blank(*p)) word += "...";
  return word + "'";
}

const char* line_form(const MatrixMarketHeader& header) {
  if (header.layout == MatrixMarketHeader::Layout::array) return "one value a line";
  return header.field == MatrixMarketHeader::Field::pattern ? "'row column', since the banner says pattern,"
                                                            : "'row column value'";
}

[[noreturn]] void fail_short(const MatrixMarketHeader& header) {
  fail(fmt::format("the line ends too early; {} expected", line_form(header)));
}

/// What stands between a number and the next one, or the end of the line.
void expect_gap(const char* p, const char* end, const char* word, const char* what) {
  if (p == end || is_blank(*p)) return;
  fail(fmt::format("{} expected, found {}", what, quoted_word(word, end)));
}

void expect_end(const char* p, const Line& line, const MatrixMarketHeader& header) {
  skip_blanks(p);
  if (p == line.end) return;
  if (*p == '\r') fail("lines end with a carriage return alone; convert the file to Unix line ends");
  fail(fmt::format("{} follows; {} expected", quoted_word(p, line.end), line_form(header)));
}

[[noreturn]] void fail_index(std::int64_t index, GlobalIndex size, const char* what) {
  if (index == 0) fail(fmt::format("{} index 0: Matrix Market is one-based, indices go from 1 to {}", what, size));
  fail(fmt::format("{} index {} is out of range, 1 to {} expected", what, index, size));
}

/// The usual case in a few instructions: digits alone, then a blank or the end of the line.
inline bool read_plain_index(const char*& p, std::int64_t& index) {
  const char* q = p;
  while (is_digit(*q) && q - p < 18) index = 10 * index + (*q++ - '0');
  if (q == p || (!is_blank(*q) && *q != '\n')) return false;
  p = q;
  return true;
}

GlobalIndex parse_index(const char*& p, const Line& line, GlobalIndex size, const char* what,
                        const MatrixMarketHeader& header) {
  skip_blanks(p);
  if (p == line.end) fail_short(header);
  const char* word = p;
  std::int64_t index = 0;
  if (read_plain_index(p, index) && index >= 1 && index <= size) return index - 1;
  p = word;
  const NumberStatus status = parse_integer(p, line.end, index);
  if (status == NumberStatus::too_large)
    fail(fmt::format("{} index {} does not fit 64 bits, 1 to {} expected", what, quoted_word(word, line.end), size));
  if (status != NumberStatus::ok) fail(fmt::format("{} index expected, found {}", what, quoted_word(word, line.end)));
  if (p != line.end && !is_blank(*p)) expect_gap(p, line.end, word, "whole index");
  if (index < 1 || index > size) fail_index(index, size, what);
  return index - 1;
}

/// Whether a number that reads as zero has a digit other than zero before its exponent.
bool has_digits(const char* p, const char* end) {
  for (; p != end && (is_digit(*p) || *p == '.' || *p == '-' || *p == '+'); ++p)
    if (*p >= '1' && *p <= '9') return true;
  return false;
}

MatrixMarketValue parse_number(const char*& p, const Line& line, const MatrixMarketHeader& header) {
  skip_blanks(p);
  if (p == line.end) fail_short(header);
  const char* word = p;
  double value = 0;
  const NumberStatus status = parse_real(p, line.end, value);
  if (status == NumberStatus::too_large)
    fail(fmt::format("value {} is not a finite number", quoted_word(word, line.end)));
  if (status != NumberStatus::ok || (p != line.end && !is_blank(*p) && *p != '\r'))
    fail(fmt::format("value expected, found {}", quoted_word(word, line.end)));
  if (header.field == MatrixMarketHeader::Field::integer && value != std::trunc(value))
    fail(fmt::format("value {} is no integer, but the banner says integer", quoted_word(word, line.end)));
  return {value, value == 0 && has_digits(word, p)};
}

} // namespace

bool is_idle(const Line& line) {
  const char* p = line.begin;
  skip_blanks(p);
  return p >= line.end || *p == '%';
}

MatrixMarketEntry parse_entry(const Line& line, const MatrixMarketHeader& header) {
  const char* p = line.begin;
  MatrixMarketEntry entry;
  entry.row = parse_index(p, line, header.rows, "row", header);
  entry.column = parse_index(p, line, header.cols, "column", header);
  if (header.field != MatrixMarketHeader::Field::pattern) {
    const MatrixMarketValue number = parse_number(p, line, header);
    entry.value = number.value;
    entry.vanished = number.vanished;
  }
  if (p != line.end) expect_end(p, line, header);
  if (header.symmetry == MatrixMarketHeader::Symmetry::skew_symmetric && entry.row == entry.column &&
      entry.value != 0)
    fail(fmt::format("entry ({0}, {0}) is {1}; the diagonal of a skew-symmetric matrix is zero", entry.row + 1,
                     entry.value));
  return entry;
}

MatrixMarketValue parse_value(const Line& line, const MatrixMarketHeader& header) {
  const char* p = line.begin;
  const MatrixMarketValue value = parse_number(p, line, header);
  expect_end(p, line, header);
  return value;
}

std::string place(const std::string& name, Offset line) { return fmt::format("{}:{}", name, line); }

} // namespace atl
