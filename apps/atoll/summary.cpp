#include "summary.hpp"

#include <atoll/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace atl::app {

void Summary::add(std::string_view label, std::string_view text) { lines_.emplace_back(label, text); }

bool Summary::says(std::string_view label, std::string_view text) const {
  return std::find(lines_.begin(), lines_.end(), std::pair{std::string(label), std::string(text)}) != lines_.end();
}

std::string Summary::text() const {
  std::size_t width = 0;
  for (const auto& [label, text] : lines_) width = std::max(width, label.size());
  std::string all;
  for (const auto& [label, text] : lines_) all += fmt::format("{:<{}}  {}\n", label, width, printable(text));
  return all + block_;
}

std::string readable(double value) {
  const double size = std::fabs(value);
  if (size >= 100 && size < 1e6) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string readable(std::int64_t value) {
  std::string text = fmt::format("{}", value < 0 ? -value : value);
  for (auto i = std::ssize(text) - 3; i > 0; i -= 3) text.insert(text.begin() + i, ',');
  return value < 0 ? '-' + text : text;
}

std::string readable_seconds(double seconds) {
  return fmt::format("{:.{}f}", seconds, seconds < 10 ? 3 : seconds < 1000 ? 1 : 0);
}

std::string readable_bytes(std::int64_t bytes) {
  const char* unit[] = {"B", "kB", "MB", "GB", "TB", "PB"};
  auto value = static_cast<double>(bytes);
  int i = 0;
  for (; std::fabs(value) >= 1000 && i < 5; ++i) value /= 1000;
  return i == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.3g} {}", value, unit[i]);
}

std::string counted(std::int64_t count, std::string_view noun) {
  if (count == 1) return fmt::format("1 {}", noun);
  const bool entry = noun.ends_with("y");
  return entry ? fmt::format("{} {}ies", readable(count), noun.substr(0, noun.size() - 1))
               : fmt::format("{} {}s", readable(count), noun);
}

namespace {

/// Length of the UTF-8 character at the start of text, or 0 where there is none.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xc2 && lead < 0xe0 ? 2
                             : (lead & 0xf0) == 0xe0       ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  return length;
}

} // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    // C0 and DEL; C1 controls are the two bytes c2 80 .. c2 9f.
    const bool control =
        byte < 0x20 || byte == 0x7f || (length == 2 && byte == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
    if (length == 0 || control) {
      safe += fmt::format("\\x{:02x}", byte);
      text.remove_prefix(1);
      if (control && length == 2) {
        safe += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        text.remove_prefix(1);
      }
    } else {
      safe += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return safe;
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (std::fflush(stdout) != 0 || !written)
    throw Error(ErrorKind::environment, fmt::format("cannot write: {}", std::strerror(errno)), "standard output");
}

} // namespace atl::app
