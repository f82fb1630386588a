#pragma once

#include <atoll/comm/communicator.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace atl {

/// A report for programs: one JSON object, keys in the order in which they were set. Strict JSON: numbers
/// that are not finite become null, text that is not UTF-8 gets replacement characters. Numbers have the
/// fewest digits that read back to the same value, whatever the locale. Keys       a dot goes one object
/// deeper: set("matrix.rows", n) gives {"matrix": {"rows": n}}. Ranks      local, except write().
class ATOLL_API Report {
 public:
  Report();
  Report(Report&&) noexcept;
  Report& operator=(Report&&) noexcept;
  ~Report();

  Report& set(std::string_view key, bool value);
  Report& set(std::string_view key, double value);
  Report& set(std::string_view key, std::int64_t value);
  Report& set(std::string_view key, int value) { return set(key, std::int64_t{value}); }
  Report& set(std::string_view key, std::string_view value);
  Report& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
  Report& set(std::string_view key, const std::string& value) { return set(key, std::string_view(value)); }
  Report& set(std::string_view key, std::span<const double> values);
  Report& set(std::string_view key, std::span<const std::int64_t> values);
  Report& set(std::string_view key, std::span<const std::string> values);
  Report& set(std::string_view key, std::nullptr_t);
  /// A list of objects grows by one.
  Report& append(std::string_view key, const Report& item);

  /// The object, indented by two spaces, with a newline at its end.
  std::string text() const;
  /// As a file, whole or not at all. Collective; rank 0's report counts. Errors: Error{environment}, on all
  /// ranks alike.
  void write(Communicator& comm, const std::string& path) const;

 private:
  struct Json;
  std::unique_ptr<Json> json_;
};

} // namespace atl
