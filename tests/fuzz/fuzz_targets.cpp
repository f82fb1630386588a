#include "fuzz_targets.hpp"

#include <atoll/io/matrix_market_reader.hpp>
#include <atoll/io/model_problem.hpp>
#include <atoll/io/number_parser.hpp>
#include <atoll/io/store.hpp>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>

namespace atl::test {
namespace {

void require(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

std::string lines_of(const ByteSource& bytes, int ranks) {
  std::string text;
  for (int rank = 0; rank < ranks; ++rank) {
    LineRange range(bytes, 0, bytes.size() * rank / ranks, bytes.size() * (rank + 1) / ranks);
    for (Line line; range.next(line);) text.append(line.begin, line.end) += '\n';
  }
  return text;
}

void require_sound(const RowBlock<double>& block) {
  require(block.rows() == block.n_rows, "all rows are here");
  require(block.offsets.back() == block.entries(), "offsets end with the entries");
  for (LocalIndex row = 0; row < block.rows(); ++row)
    for (Offset e = block.offsets[row]; e < block.offsets[row + 1]; ++e) {
      require(block.column[e] >= 0 && block.column[e] < block.n_cols, "columns are in range");
      require(e == block.offsets[row] || block.column[e - 1] < block.column[e], "columns ascend");
    }
}

constexpr GlobalIndex largest_size = 10000; // what a fuzzer allocates a million times must be small

} // namespace

FuzzOutcome fuzz_matrix_market(std::span<const char> input) {
  const MemoryBytes bytes(input);
  const std::string once = lines_of(bytes, 1);
  require(lines_of(bytes, 2) == once && lines_of(bytes, 5) == once, "any cut gives the same lines");
  try {
    const auto header = parse_matrix_market_header(bytes, "fuzz");
    require(header.data_begin <= bytes.size() && header.entries <= bytes.size(), "the head is plausible");
    if (header.rows > largest_size || header.cols > largest_size) return FuzzOutcome::accepted;
    const Context context = make_self_context();
    require_sound(read_matrix_market<double>(context, bytes, header, "fuzz"));
    if (header.rows * header.cols > largest_size) return FuzzOutcome::accepted;
    const auto dense = read_dense_matrix_market<double>(context, bytes, header, "fuzz");
    require(std::ssize(dense.values) == header.rows * header.cols, "the array is full");
    return FuzzOutcome::accepted;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::bad_input || error.kind() == ErrorKind::limit, error.what());
    for (const char c : error.line()) require(c >= 32 && c < 127, "error texts are printable");
    return FuzzOutcome::refused;
  }
}

FuzzOutcome fuzz_number(std::span<const char> input) {
  std::string text(input.begin(), input.end());
  text = text.substr(0, text.find('\0'));
  const std::string line = text + '\n';
  const char* p = line.data();
  double value = 0;
  if (parse_real(p, line.data() + text.size(), value) != NumberStatus::ok) {
    require(p == line.data(), "a refused number is not consumed");
    return FuzzOutcome::refused;
  }
  require(p > line.data() && p <= line.data() + text.size(), "an accepted number ends within its text");
  std::string number(line.data(), p);
  for (char& c : number)
    if (c == 'd' || c == 'D') c = 'e';
  char* end = nullptr;
  const double expected = std::strtod(number.c_str(), &end);
  require(end == number.c_str() + number.size(), "the C library reads as far");
  require(value == expected, "the C library reads the same");
  return FuzzOutcome::accepted;
}

FuzzOutcome fuzz_model_problem(std::span<const char> input) {
  const std::string text(input.begin(), input.end());
  try {
    is_model_problem(text);
    const auto problem = parse_model_problem(text);
    const auto again = parse_model_problem(problem.name());
    require(again.extent == problem.extent && again.parameters == problem.parameters, "names parse back");
    if (problem.rows() > 1000) return FuzzOutcome::accepted;
    require_sound(generate<double>(make_self_context(), problem));
    return FuzzOutcome::accepted;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::usage || error.kind() == ErrorKind::limit, error.what());
    return FuzzOutcome::refused;
  }
}

namespace {

/// A file that lives in memory where the machine has such a folder.
class ShortLivedFile {
 public:
  explicit ShortLivedFile(std::span<const char> bytes) {
    const int file = ::mkstemp(name_.data());
    require(file >= 0 && ::write(file, bytes.data(), bytes.size()) == std::ssize(bytes), "the file can be written");
    ::close(file);
  }
  ShortLivedFile(const ShortLivedFile&) = delete;
  ShortLivedFile& operator=(const ShortLivedFile&) = delete;
  ~ShortLivedFile() { ::unlink(name_.c_str()); }
  const std::string& name() const { return name_; }

 private:
  std::string name_ = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/atoll-fuzz-XXXXXX" : "/tmp/atoll-fuzz-XXXXXX";
};

/// What a load may do with a file that is no store: throw an Error that says so.
template <class Load>
bool loads(const Load& load) {
  try {
    load();
    return true;
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::bad_input || error.kind() == ErrorKind::limit, error.what());
    for (const char c : error.line()) require(c >= 32 && c < 127, "error texts are printable");
    return false;
  }
}

} // namespace

FuzzOutcome fuzz_store(std::span<const char> input) {
  const ShortLivedFile file(input);
  const Context context = make_self_context();
  StoreContents contents;
  if (!loads([&] { contents = store_contents(context, file.name()); })) contents = {true, true};
  const bool matrix =
      contents.matrix && loads([&] {
        const StoredMatrix<double> stored = read_store<double>(context, file.name());
        require_sound(stored.rows);
        require(std::ssize(read_row_ranges(context, file.name())) == stored.parts + 1, "parts have ranges");
      });
  const bool vector = contents.vector && loads([&] {
                        GlobalIndex rows = 0;
                        LocalIndex columns = 0;
                        const auto values = read_dense_store<double>(context, file.name(), rows, columns);
                        require(std::ssize(values) == rows * columns, "the array is full");
                      });
  return matrix || vector ? FuzzOutcome::accepted : FuzzOutcome::refused;
}

} // namespace atl::test
