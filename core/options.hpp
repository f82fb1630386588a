#pragma once

#include <atoll/core/error.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace atl {

/// A set of commands, one bit each.
using CommandSet = std::uint32_t;
namespace commands {
inline constexpr CommandSet solve = 1u << 0, eigs = 1u << 1, svd = 1u << 2, partition = 1u << 3, multiply = 1u << 4,
                            convert = 1u << 5, generate = 1u << 6, info = 1u << 7, plan = 1u << 8, bench = 1u << 9,
                            doctor = 1u << 10, options = 1u << 11;
inline constexpr CommandSet none = 0, all = (1u << 12) - 1;
} // namespace commands

/// One row of the table of commands.
struct CommandSpec {
  std::string_view name;
  CommandSet bit;
  std::string_view positionals; ///< as help shows them: "MATRIX", "IN OUT"; may be empty
  std::string_view doc;         ///< one line
  bool available;               ///< in this build
};
ATOLL_API std::span<const CommandSpec> command_table();
/// nullptr when there is none.
ATOLL_API const CommandSpec* find_command(std::string_view name);

enum class OptionKind {
  flag,    ///< given or not
  integer, ///< within low .. high
  real,    ///< finite, within low .. high
  choice,  ///< one of `choices`
  text,    ///< anything but nothing
  file     ///< a path
};

/// One row of the option table, from which the command line, its help, the documentation and later the C
/// setters are made.
struct OptionSpec {
  std::string_view name; ///< long, without dashes
  OptionKind kind;
  std::string_view group; ///< "solver", "stopping", "partition", "machine", "files", "output"
  CommandSet taken_by;
  std::string_view default_value; ///< as the user would write it; empty: off, or none
  std::string_view doc;           ///< one line
  std::string_view advice;        ///< when to change it
  std::string_view value_name{};  ///< "FILE", "N"; empty for flags
  /// Alternatives separated by '|'. "file:FILE" is a word with something after it, "random[:SEED]" a word
  /// with or without a whole number, "NUMBER" a positive number, "FILE" anything.
  std::string_view choices{};
  double low = 0, high = 0; ///< of integer and real; high 0: no bound
  bool low_included = true, high_included = true;
  char short_name = 0;
  CommandSet required_by = commands::none;
  bool hidden = false; ///< for testing: not in help
};
ATOLL_API std::span<const OptionSpec> option_table();
/// nullptr when there is none.
ATOLL_API const OptionSpec* find_option(std::string_view name);
ATOLL_API const OptionSpec* find_option(char short_name);

/// An option that the design names and this build lacks: refused by name, never ignored.
struct PlannedOption {
  std::string_view name;
  char short_name;
  CommandSet taken_by;
  std::string_view doc;
};
ATOLL_API std::span<const PlannedOption> planned_options();

/// What the option accepts, for help and errors: "auto, cpu or cuda", "a number > 0 and <= 1".
ATOLL_API std::string expected_values(const OptionSpec& spec);
/// Throws Error{usage} with the option, the value seen and the values expected, unless the text is one.
ATOLL_API void require_valid(const OptionSpec& spec, std::string_view text);

/// The candidate that is most like the name, or "" when none is near.
ATOLL_API std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates);

/// The whole text as a number, whatever the locale; nothing where it is none or too large.
ATOLL_API std::optional<std::int64_t> parse_integer(std::string_view text);
ATOLL_API std::optional<double> parse_real(std::string_view text);

/// The options that a user gave for one command, as text, checked when set.
/// Errors     Error{usage}, where() is the option ("--rtol"): unknown (with the nearest match), planned, not
/// an
///            option of this command, repeated, out of range. Getters of a wrong type throw Error{internal}.
class ATOLL_API OptionValues {
 public:
  explicit OptionValues(const CommandSpec& command) : command_(command) {}

  const CommandSpec& command() const { return command_; }
  /// A flag takes no text.
  void set(std::string_view name, std::string_view text = {});
  /// Throws for a required option that was not set.
  void require_complete() const;

  bool given(std::string_view name) const { return given_.contains(name); }
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  /// Of every kind but flag; the default where nothing was given.
  std::string text(std::string_view name) const;

 private:
  const OptionSpec& spec_of(std::string_view name, OptionKind kind) const;

  CommandSpec command_;
  std::map<std::string, std::string, std::less<>> given_;
};

} // namespace atl
