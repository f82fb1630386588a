#pragma once
/// Private to io: the lines of a byte range, through a buffer of bounded size.

#include <atoll/io/file_bytes.hpp>

#include <vector>

namespace atl {

/// A line without its end (\n or \r\n). *end is a readable newline or carriage return.
struct Line {
  const char* begin = nullptr;
  const char* end = nullptr;
};

/// The lines that begin in [begin, end) of a text whose first line begins at `first`. So ranges that follow
/// one another have each line once, whoever gets the bytes. The last line need not end with a newline.
/// Errors     Error{bad_input} for a line longer than the buffer (1 MiB).
class ATOLL_API LineRange {
 public:
  LineRange(const ByteSource& bytes, Offset first, Offset begin, Offset end);

  /// The next line, valid until the next call; false when there is none.
  bool next(Line& line) {
    while (begin_ == filled_ || !find_end(line))
      if (!refill()) return false;
    if (line_begins() >= end_) return false;
    ++lines_;
    begin_ = static_cast<std::size_t>(newline_ - buffer_.data()) + 1;
    return true;
  }
  /// Lines given so far.
  Offset lines() const { return lines_; }
  /// Position in the text of the byte after the line given last.
  Offset position() const { return buffer_at_ + static_cast<Offset>(begin_); }

 private:
  bool find_end(Line& line);
  bool refill();
  void skip_line();
  Offset line_begins() const { return position(); }

  const ByteSource& bytes_;
  Offset end_;
  std::vector<char> buffer_;
  Offset buffer_at_;       ///< position in the text of buffer_[0]
  std::size_t begin_ = 0;  ///< next line in the buffer
  std::size_t filled_ = 0; ///< bytes of text in the buffer
  const char* newline_ = nullptr;
  Offset lines_ = 0;
};

} // namespace atl
