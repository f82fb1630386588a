#include <atoll/comm/agree.hpp>
#include <atoll/io/matrix_market.hpp>
#include <atoll/io/safe_file.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <functional>

namespace atl {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// Text that goes to a file chunk by chunk, or is only counted.
class TextChunks {
 public:
  TextChunks() = default;
  TextChunks(OutputFile& file, Offset at) : file_(&file), at_(at) {}

  void character(char c) { text_ += c; }
  void integer(std::int64_t value) { number(value); }
  /// The fewest digits that read back to the same number.
  template <class T>
  void real(T value) {
    number(value);
  }
  void end_line() {
    text_ += '\n';
    if (text_.size() >= chunk_bytes) flush();
  }
  void flush() {
    if (file_) file_->write(at_ + written_, text_);
    written_ += std::ssize(text_);
    text_.clear();
  }
  Offset written() const { return written_; } ///< bytes, after flush()

 private:
  template <class Number>
  void number(Number value) {
    char digits[40];
    const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
    text_.append(digits, end);
  }

  OutputFile* file_ = nullptr;
  Offset at_ = 0, written_ = 0;
  std::string text_;
};

/// A reader would refuse what is no number.
template <class T>
void check_finite(std::span<const T> values, const std::string& path) {
  for (const T value : values)
    if (!std::isfinite(value))
      throw Error(ErrorKind::bad_input,
                  fmt::format("the value {} cannot be written; a Matrix Market file holds finite numbers", value),
                  path);
}

/// Parts of a file, the ranks' shares of each one after another: `write(part, text)` appends this rank's.
using WritePart = std::function<void(LocalIndex part, TextChunks& text)>;

/// Writes the head, then all parts. Shares are formatted twice, to know where they go and to write them, so
/// that no rank keeps its text. Collective.
void write_parts(Communicator& comm, const std::string& path, const std::string& head, LocalIndex parts,
                 const WritePart& write) {
  SafeFile safe(comm, path);
  std::optional<OutputFile> file;
  agree(comm, [&] {
    file.emplace(safe.temporary());
    if (comm.rank() == 0) file->write(0, head);
  });
  Offset at = std::ssize(head);
  for (LocalIndex part = 0; part < parts; ++part) {
    TextChunks counted;
    agree(comm, [&] {
      if (comm.size() == 1) return; // nobody's share comes after
      write(part, counted);
      counted.flush();
    });
    const Offset before = comm.exclusive_sum(counted.written());
    const Offset all = comm.all_reduce(counted.written(), ReduceOp::sum);
    TextChunks text(*file, at + before);
    agree(comm, [&] {
      write(part, text);
      text.flush();
    });
    at += comm.size() == 1 ? text.written() : all;
  }
  agree(comm, [&] { file->close(); });
  safe.commit(comm);
}

template <class T>
Offset stored_entries(const RowBlock<T>& block, bool lower_only) {
  if (!lower_only) return block.entries();
  Offset count = 0;
  for (LocalIndex row = 0; row < block.rows(); ++row)
    for (Offset e = block.offsets[row]; e < block.offsets[row + 1]; ++e)
      count += block.column[e] <= block.row_begin + row;
  return count;
}

template <class T>
void write_rows(const RowBlock<T>& block, bool lower_only, TextChunks& text) {
  for (LocalIndex i = 0; i < block.rows(); ++i) {
    const GlobalIndex row = block.row_begin + i;
    for (Offset e = block.offsets[i]; e < block.offsets[i + 1]; ++e) {
      if (lower_only && block.column[e] > row) continue;
      text.integer(row + 1);
      text.character(' ');
      text.integer(block.column[e] + 1);
      text.character(' ');
      text.real(block.value[e]);
      text.end_line();
    }
  }
}

} // namespace

template <class T>
void write_matrix_market(const Context& context, const std::string& path, const RowBlock<T>& block, bool symmetric) {
  agree(*context.comm, [&] { check_finite<T>(block.value, path); });
  const Offset entries = context.comm->all_reduce(stored_entries(block, symmetric), ReduceOp::sum);
  const std::string head = fmt::format("%%MatrixMarket matrix coordinate real {}\n{} {} {}\n",
                                       symmetric ? "symmetric" : "general", block.n_rows, block.n_cols, entries);
  write_parts(*context.comm, path, head, 1,
              [&](LocalIndex, TextChunks& text) { write_rows(block, symmetric, text); });
}

template <class T>
void write_dense_matrix_market(const Context& context, const std::string& path, const DenseSlab<T>& slab) {
  agree(*context.comm, [&] { check_finite<T>(slab.values, path); });
  const std::string head = fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", slab.rows, slab.cols);
  // The format goes by columns: each is a part.
  write_parts(*context.comm, path, head, slab.cols, [&](LocalIndex column, TextChunks& text) {
    for (std::size_t at = column; at < slab.values.size(); at += slab.cols) {
      text.real(slab.values[at]);
      text.end_line();
    }
  });
}

template void write_matrix_market(const Context&, const std::string&, const RowBlock<float>&, bool);
template void write_matrix_market(const Context&, const std::string&, const RowBlock<double>&, bool);
template void write_dense_matrix_market(const Context&, const std::string&, const DenseSlab<float>&);
template void write_dense_matrix_market(const Context&, const std::string&, const DenseSlab<double>&);

} // namespace atl
