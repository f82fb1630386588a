#include <atoll/io/line_range.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace atl {
namespace {

constexpr Offset buffer_bytes = Offset{1} << 20;
constexpr Offset overhang = 4096; ///< read beyond the range, for the line that crosses its end

} // namespace

LineRange::LineRange(const ByteSource& bytes, Offset first, Offset begin, Offset end)
    : bytes_(bytes), end_(end), buffer_at_(begin) {
  const Offset room = std::min({buffer_bytes, bytes.size() - begin + 1, end - begin + overhang});
  buffer_.resize(static_cast<std::size_t>(std::max<Offset>(room, 1)) + 1);
  if (begin < end && begin > first) skip_line();
}

/// The line that crosses the beginning of the range belongs to the range before.
void LineRange::skip_line() {
  --buffer_at_; // where a newline ends just there, nothing is skipped
  for (;;) {
    begin_ = filled_;
    if (!refill()) return;
    if (const void* newline = std::memchr(buffer_.data(), '\n', filled_)) {
      begin_ = static_cast<std::size_t>(static_cast<const char*>(newline) - buffer_.data()) + 1;
      return;
    }
  }
}

bool LineRange::find_end(Line& line) {
  line.begin = buffer_.data() + begin_;
  const void* newline = std::memchr(line.begin, '\n', filled_ - begin_);
  if (!newline) {
    if (buffer_at_ + static_cast<Offset>(filled_) < bytes_.size()) return false;
    newline = buffer_.data() + filled_; // the last line ends with the text
    buffer_[filled_++] = '\n';
  }
  newline_ = static_cast<const char*>(newline);
  line.end = newline_;
  if (line.end > line.begin && line.end[-1] == '\r') --line.end;
  return true;
}

/// Keeps the bytes from begin_ on and reads more behind them; false at the end of the text.
bool LineRange::refill() {
  const std::size_t kept = filled_ - begin_;
  std::memmove(buffer_.data(), buffer_.data() + begin_, kept);
  buffer_at_ += static_cast<Offset>(begin_);
  begin_ = 0;
  filled_ = kept;
  const Offset at = buffer_at_ + static_cast<Offset>(kept);
  if (at >= bytes_.size() || buffer_at_ >= end_) return false;
  // One byte stays free for the newline that the last line may lack.
  if (kept + 1 >= buffer_.size()) {
    if (std::ssize(buffer_) > buffer_bytes) {
      ++lines_;
      throw Error(ErrorKind::bad_input, fmt::format("the line is longer than {} bytes", buffer_bytes));
    }
    buffer_.resize(static_cast<std::size_t>(buffer_bytes) + 1);
  }
  const Offset room = static_cast<Offset>(buffer_.size() - kept - 1);
  const auto count = static_cast<std::size_t>(std::min(room, bytes_.size() - at));
  bytes_.read(at, std::span(buffer_.data() + kept, count));
  filled_ += count;
  return true;
}

} // namespace atl
