#include <atoll/comm/agree.hpp>
#include <atoll/io/matrix_market_text.hpp>
#include <atoll/io/number_parser.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace atl {
namespace {

using Layout = MatrixMarketHeader::Layout;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

[[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::bad_input, what); }

/// The words of a line in lower case, unprintable bytes as '?'.
std::vector<std::string> words_of(const Line& line) {
  std::vector<std::string> words;
  bool inside = false;
  for (const char* p = line.begin; p != line.end; ++p) {
    const bool blank = is_blank(*p) || *p == '\r';
    if (!blank && !inside) words.emplace_back();
    inside = !blank;
    const auto byte = static_cast<unsigned char>(*p);
    const char c = byte < 32 || byte > 126 ? '?' : *p;
    if (inside && words.back().size() < 40) words.back() += c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return words;
}

template <class Enum>
struct Word {
  const char* spelling;
  Enum meaning;
};

constexpr Word<int> objects[] = {{"matrix", 0}};
constexpr Word<Layout> layouts[] = {{"coordinate", Layout::coordinate}, {"array", Layout::array}};
constexpr Word<Field> fields[] = {{"real", Field::real},       {"integer", Field::integer},
                                  {"pattern", Field::pattern}, {"complex", Field::complex},
                                  {"double", Field::real},     {"unsigned-integer", Field::integer}};
constexpr Word<Symmetry> symmetries[] = {{"general", Symmetry::general},
                                         {"symmetric", Symmetry::symmetric},
                                         {"skew-symmetric", Symmetry::skew_symmetric},
                                         {"hermitian", Symmetry::hermitian}};

/// Word number `at` of the banner, looked up in a table.
template <class Enum, std::size_t n>
Enum look_up(const std::vector<std::string>& words, std::size_t at, const char* what, const Word<Enum> (&table)[n]) {
  std::string expected = n > 1 ? "one of " : "";
  for (const auto& word : table) expected += (&word == table ? "" : ", ") + std::string(word.spelling);
  if (at >= words.size()) fail(fmt::format("the banner has no {} word; {} expected", what, expected));
  for (const auto& word : table)
    if (words[at] == word.spelling) return word.meaning;
  fail(fmt::format("unknown {} word '{}' in the banner; {} expected", what, words[at], expected));
}

void check_combination(const MatrixMarketHeader& header) {
  if (header.field == Field::pattern && header.layout == Layout::array)
    fail("an array file holds values, it cannot be a pattern; coordinate expected");
  if (header.field == Field::pattern && header.symmetry == Symmetry::skew_symmetric)
    fail("a pattern has no signs, it cannot be skew-symmetric; general or symmetric expected");
  if (header.symmetry == Symmetry::hermitian && header.field != Field::complex)
    fail("hermitian goes with complex values; symmetric expected for others");
}

void skip_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) fail("the file begins with a UTF-8 byte order mark; save it without one");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    fail("the file is UTF-16 text; save it as ASCII or UTF-8");
  if (text.starts_with("\x1f\x8b")) fail("the file is compressed with gzip; unpack it first");
}

std::int64_t parse_size(const std::string& word, const char* what) {
  const std::string text = word + '\n';
  const char* p = text.data();
  std::int64_t value = 0;
  const NumberStatus status = parse_integer(p, p + word.size(), value);
  if (status == NumberStatus::too_large) fail(fmt::format("size line: {} {} does not fit 64 bits", what, word));
  if (status != NumberStatus::ok || *p != '\n')
    fail(fmt::format("size line: number of {} expected, found '{}'", what, word));
  if (value < 0) fail(fmt::format("size line: number of {} is {}; 0 or more expected", what, value));
  return value;
}

std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    fail(fmt::format("size line: an array of {} x {} values is too large", a, b));
  return product;
}

/// Values that an array file of this kind stores.
Offset array_values(const MatrixMarketHeader& header) {
  const GlobalIndex n = header.rows;
  if (header.symmetry == Symmetry::general) return multiply(n, header.cols);
  // n (n + 1) / 2 values with the diagonal, n (n - 1) / 2 without; the even factor is halved first.
  const bool strict = header.symmetry == Symmetry::skew_symmetric;
  if (n % 2) return multiply(n, strict ? n / 2 : n / 2 + 1);
  return multiply(n / 2, strict ? n - 1 : n + 1);
}

/// Refuses at once what the bytes after the head cannot hold.
void check_room(const MatrixMarketHeader& header, Offset bytes) {
  Offset line = 2; // "1" and a newline
  if (header.layout == Layout::coordinate) line = header.field == Field::pattern ? 4 : 6;
  if (header.field == Field::complex) line += 2;
  const Offset room = (bytes + 1) / line; // the last newline may be missing
  if (header.entries > room)
    fail(fmt::format("{} {} announced, but the {} bytes that follow hold at most {}; the file is truncated or "
                     "its size line is wrong",
                     header.entries, header.layout == Layout::array ? "values are" : "entries are", bytes, room));
}

} // namespace

void parse_banner(const Line& line, MatrixMarketHeader& header) {
  skip_byte_order_mark({line.begin, static_cast<std::size_t>(line.end - line.begin)});
  const auto words = words_of(line);
  if (words.empty() || words[0] != "%%matrixmarket")
    fail(fmt::format("no Matrix Market banner: the first line must read '%%MatrixMarket matrix coordinate real "
                     "general' or alike, found '{}'",
                     fmt::join(words.begin(), words.begin() + std::min<std::ptrdiff_t>(std::ssize(words), 4), " ")));
  look_up(words, 1, "object", objects);
  header.layout = look_up(words, 2, "format", layouts);
  header.field = look_up(words, 3, "field", fields);
  header.symmetry = look_up(words, 4, "symmetry", symmetries);
  if (words.size() > 5)
    fail(fmt::format("'{}' follows the symmetry word in the banner; five words expected", words[5]));
  check_combination(header);
}

void parse_sizes(const Line& line, MatrixMarketHeader& header) {
  const auto words = words_of(line);
  const bool array = header.layout == Layout::array;
  const std::size_t expected = array ? 2 : 3;
  if (words.size() != expected)
    fail(fmt::format("size line: {} numbers found, {} expected: {}", words.size(), expected,
                     array ? "rows columns" : "rows columns entries"));
  header.rows = parse_size(words[0], "rows");
  header.cols = parse_size(words[1], "columns");
  if (header.symmetry != Symmetry::general && header.rows != header.cols)
    fail(
        fmt::format("size line: a symmetric kind of matrix must be square, {} x {} found", header.rows, header.cols));
  header.entries = array ? array_values(header) : parse_size(words[2], "entries");
}

MatrixMarketHeader parse_matrix_market_header(const ByteSource& bytes, const std::string& name) {
  if (bytes.size() == 0)
    throw Error(ErrorKind::bad_input, "the file is empty; a Matrix Market banner was expected", name);
  MatrixMarketHeader header;
  LineRange lines(bytes, 0, 0, bytes.size());
  try {
    Line line;
    lines.next(line);
    parse_banner(line, header);
    do {
      if (!lines.next(line)) fail("the file ends before its size line");
    } while (is_idle(line));
    parse_sizes(line, header);
    header.data_begin = std::min(lines.position(), bytes.size());
    header.data_line = lines.lines() + 1;
    check_room(header, bytes.size() - header.data_begin);
  } catch (const Error& error) {
    throw Error(error.kind(), error.what(), place(name, lines.lines()));
  }
  return header;
}

MatrixMarketHeader read_matrix_market_header(Communicator& comm, const std::string& path) {
  MatrixMarketHeader header;
  agree(comm, [&] {
    if (comm.rank() == 0) header = parse_matrix_market_header(FileBytes(path), path);
  });
  comm.broadcast(std::as_writable_bytes(std::span(&header, 1)), 0);
  return header;
}

} // namespace atl
