#pragma once
/// Private to io: the reader over any source of bytes.

#include <atoll/io/matrix_market_text.hpp>

#include <atoll/comm/context.hpp>

#include <optional>

namespace atl {

/// What one rank saw in its lines; the kinds of trouble are agreed on later, in the order of the file.
struct LinesSeen {
  Offset lines = 0;   ///< all lines, idle ones too
  Offset entries = 0; ///< lines that are neither blank nor comments
  std::optional<Error> error;
  Offset error_line = 0; ///< within this rank's lines, from 1
};

/// Tells how far the reading is: the bytes of this rank's share, which may be read in several rounds.
class ReadProgress {
 public:
  ReadProgress(Observer& observer, const MatrixMarketHeader& header, const Communicator& comm,
               const ByteSource& bytes, int rounds);
  /// Called with the line just read.
  void tell(const LineRange& lines) {
    if (lines.lines() % lines_between_calls == 0) call(lines);
  }
  void next_round() { before_ += length_; }

 private:
  static constexpr Offset lines_between_calls = 1 << 14;
  void call(const LineRange& lines);

  Observer& observer_;
  Offset begin_, length_, all_, before_ = 0;
};

/// This rank's share of the data lines.
LineRange data_lines(const Communicator& comm, const ByteSource& bytes, const MatrixMarketHeader& header);
/// Feeds the lines that carry data, one by one, to `take`; an exception ends the reading and is noted.
template <class Take>
LinesSeen visit_lines(LineRange lines, ReadProgress& progress, Take take) {
  LinesSeen seen;
  try {
    for (Line line; lines.next(line);) {
      progress.tell(lines);
      if (is_idle(line)) continue;
      ++seen.entries;
      take(line, lines.lines());
    }
  } catch (...) {
    seen.error = describe_current_exception();
    seen.error_line = lines.lines();
  }
  seen.lines = lines.lines();
  return seen;
}
/// Throws the first error of the file, the same on all ranks. Collective.
void agree_on_lines(Communicator& comm, const LinesSeen& seen, const MatrixMarketHeader& header,
                    const std::string& name);
/// Throws unless all ranks together saw as many entries as announced; names the first line too many.
/// Returns the entries on the ranks before. Collective.
Offset agree_on_count(Communicator& comm, const ByteSource& bytes, const LinesSeen& seen,
                      const MatrixMarketHeader& header, const std::string& name);

/// The matrix in `bytes`, which has this head; `name` is for errors. Collective.
template <class T>
ATOLL_API RowBlock<T> read_matrix_market(const Context& context, const ByteSource& bytes,
                                         const MatrixMarketHeader& header, const std::string& name);
template <class T>
ATOLL_API DenseSlab<T> read_dense_matrix_market(const Context& context, const ByteSource& bytes,
                                                const MatrixMarketHeader& header, const std::string& name);

} // namespace atl
