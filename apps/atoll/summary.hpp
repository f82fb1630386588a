#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::app {

/// What a command tells people at its end: a line or two a subject, labels aligned, continuation lines
/// indented.
class Summary {
 public:
  void add(std::string_view label, std::string_view text);
  bool says(std::string_view label, std::string_view text) const;
  /// Lines as they are, below all others.
  void add_block(std::string_view text) { block_ += text; }
  std::string text() const;

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
  std::string block_;
};

/// A few significant digits: "0.00123", "12.3", "1.2e-09".
std::string readable(double value);
/// With thousands apart: "1,234,567".
std::string readable(std::int64_t value);
/// Seconds: "0.012", "1.234", "12.3", "1234".
std::string readable_seconds(double seconds);
/// "512 B", "1.2 MB", "3.4 GB" (powers of ten).
std::string readable_bytes(std::int64_t bytes);
/// "1 row", "2 rows".
std::string counted(std::int64_t count, std::string_view noun);

/// Control characters and invalid bytes as \xNN, so that foreign text cannot forge a line or steer a
/// terminal.
std::string printable(std::string_view text);

/// To standard output, at once. Errors: Error{environment} when it is closed or full.
void print(std::string_view text);

} // namespace atl::app
