#include <atoll/core/options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <vector>

namespace atl {

namespace {

template <class Number>
std::optional<Number> parse(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1); // from_chars knows no plus
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

/// Whether a text is an alternative as OptionSpec::choices spells them.
bool matches(std::string_view text, std::string_view alternative) {
  if (alternative == "FILE") return !text.empty();
  if (alternative == "NUMBER") return parse_real(text).value_or(0) > 0;
  if (alternative.ends_with("[:SEED]")) {
    alternative.remove_suffix(7);
    if (!text.starts_with(alternative)) return false;
    text.remove_prefix(alternative.size());
    return text.empty() || (text[0] == ':' && parse_integer(text.substr(1)).value_or(-1) >= 0);
  }
  if (alternative.ends_with(":FILE")) {
    alternative.remove_suffix(4);
    return text.starts_with(alternative) && text.size() > alternative.size();
  }
  return text == alternative;
}

/// Printable, and short enough for a line.
std::string shown(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, 60)) line += static_cast<unsigned char>(c) < ' ' || c == 127 ? '?' : c;
  return text.size() > 60 ? line + "..." : line;
}

bool in_range(const OptionSpec& spec, double value) {
  const bool above = spec.low_included ? value >= spec.low : value > spec.low;
  const bool below = spec.high == 0 || (spec.high_included ? value <= spec.high : value < spec.high);
  return above && below;
}

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw Error(ErrorKind::usage, what, fmt::format("{}{}", name.size() == 1 ? "-" : "--", shown(name)));
}

/// "partition, convert and generate"
std::string commands_taking(const OptionSpec& spec) {
  std::vector<std::string_view> names;
  for (const CommandSpec& command : command_table())
    if (command.available && (spec.taken_by & command.bit)) names.push_back(command.name);
  if (names.empty()) return "no command of this build";
  const std::string_view last = names.back();
  names.pop_back();
  return names.empty() ? std::string(last) : fmt::format("{} and {}", fmt::join(names, ", "), last);
}

/// Another command's option. Who gives solve a number of parts means the number of ranks.
[[noreturn]] void refuse_foreign(std::string_view name, const OptionSpec& spec, const CommandSpec& command) {
  const bool ranks = spec.name == "parts" && (command.bit & (commands::solve | commands::multiply));
  refuse(name, fmt::format(
                   "is not an option of 'atoll {0}', but of {1}{2}", command.name, commands_taking(spec),
                   ranks ? fmt::format("; the number of ranks is mpirun's: 'mpirun -n P atoll {} ...'", command.name)
                         : ""));
}

/// Nobody knows this name for this command: says what comes nearest. A name of one letter is a short one.
[[noreturn]] void refuse_unknown(std::string_view name, const CommandSpec& command) {
  for (const PlannedOption& planned : planned_options())
    if (planned.name == name) refuse(name, fmt::format("this build does not have that option yet ({})", planned.doc));
  const OptionSpec* foreign = name.size() == 1 ? find_option(name[0]) : find_option(name);
  if (foreign) refuse_foreign(name, *foreign, command);
  std::vector<std::string_view> candidates;
  for (const OptionSpec& spec : option_table())
    if ((spec.taken_by & command.bit) && !spec.hidden) candidates.push_back(spec.name);
  const std::string nearest = nearest_name(name, candidates);
  refuse(name, nearest.empty() ? fmt::format("unknown option of 'atoll {}'", command.name)
                               : fmt::format("unknown option; did you mean --{}?", nearest));
}

std::string bounds(const OptionSpec& spec) {
  const std::string low = fmt::format("{} {}", spec.low_included ? ">=" : ">", spec.low);
  if (spec.high == 0) return low;
  return fmt::format("{} and {} {}", low, spec.high_included ? "<=" : "<",
                     spec.kind == OptionKind::integer ? fmt::format("{:.0f}", spec.high)
                                                      : fmt::format("{}", spec.high));
}

} // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) { return parse<std::int64_t>(text); }

std::optional<double> parse_real(std::string_view text) {
  const auto value = parse<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string expected_values(const OptionSpec& spec) {
  switch (spec.kind) {
  case OptionKind::flag:
    return "no value";
  case OptionKind::integer:
    return "a whole number " + bounds(spec);
  case OptionKind::real:
    return "a number " + bounds(spec);
  case OptionKind::text:
    return "a text";
  case OptionKind::file:
    return "the name of a file";
  case OptionKind::choice:
    break;
  }
  std::vector<std::string_view> alternatives = split(spec.choices, '|');
  std::erase(alternatives, "guarded"); // for testing only
  const std::string_view last = alternatives.back();
  alternatives.pop_back();
  return fmt::format("{} or {}", fmt::join(alternatives, ", "), last);
}

void require_valid(const OptionSpec& spec, std::string_view text) {
  bool valid = false;
  switch (spec.kind) {
  case OptionKind::flag:
    valid = text.empty();
    break;
  case OptionKind::integer:
    if (const auto value = parse_integer(text)) valid = in_range(spec, static_cast<double>(*value));
    break;
  case OptionKind::real:
    if (const auto value = parse_real(text)) valid = in_range(spec, *value);
    break;
  case OptionKind::choice:
    for (const std::string_view alternative : split(spec.choices, '|')) valid |= matches(text, alternative);
    break;
  case OptionKind::text:
  case OptionKind::file:
    valid = !text.empty();
    break;
  }
  if (!valid) refuse(spec.name, fmt::format("'{}' was given, {} is expected", shown(text), expected_values(spec)));
}

std::string nearest_name(std::string_view name, std::span<const std::string_view> candidates) {
  // Edits: insert, delete, replace a letter, swap two neighbours (Damerau; optimal string alignment).
  const auto distance = [name](std::string_view other) {
    std::vector<std::size_t> before(other.size() + 1), last(other.size() + 1), row(other.size() + 1);
    for (std::size_t j = 0; j <= other.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= name.size(); ++i) {
      row[0] = i;
      for (std::size_t j = 1; j <= other.size(); ++j) {
        row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (name[i - 1] != other[j - 1])});
        if (i > 1 && j > 1 && name[i - 1] == other[j - 2] && name[i - 2] == other[j - 1])
          row[j] = std::min(row[j], before[j - 2] + 1);
      }
      std::swap(before, last);
      std::swap(last, row);
    }
    return last[other.size()];
  };
  if (name.size() > 100) return {};
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1; // near: a third of the letters at most
  for (const std::string_view candidate : candidates)
    if (const std::size_t d = distance(candidate); d < least) {
      least = d;
      nearest = candidate;
    } else if (name.size() >= 3 && nearest.empty() && candidate.starts_with(name)) {
      nearest = candidate;
    }
  return std::string(nearest);
}

void OptionValues::set(std::string_view name, std::string_view text) {
  const OptionSpec* spec = find_option(name);
  if (!spec || !(spec->taken_by & command_.bit)) refuse_unknown(name, command_);
  require_valid(*spec, text);
  if (!given_.emplace(name, text).second) refuse(name, "was given more than once");
}

void OptionValues::require_complete() const {
  for (const OptionSpec& spec : option_table())
    if ((spec.required_by & command_.bit) && !given(spec.name))
      refuse(spec.name, fmt::format("is needed by 'atoll {}': {}", command_.name, spec.doc));
}

const OptionSpec& OptionValues::spec_of(std::string_view name, OptionKind kind) const {
  const OptionSpec* spec = find_option(name);
  ensure(spec && spec->kind == kind, "an option is asked for by its name and kind");
  return *spec;
}

bool OptionValues::flag(std::string_view name) const { return given(spec_of(name, OptionKind::flag).name); }

std::int64_t OptionValues::integer(std::string_view name) const {
  spec_of(name, OptionKind::integer);
  return parse_integer(text(name)).value_or(0);
}

double OptionValues::real(std::string_view name) const {
  spec_of(name, OptionKind::real);
  return parse_real(text(name)).value_or(0);
}

std::string OptionValues::text(std::string_view name) const {
  const OptionSpec* spec = find_option(name);
  ensure(spec && spec->kind != OptionKind::flag, "an option with a value is asked for by its name");
  const auto found = given_.find(name);
  return found == given_.end() ? std::string(spec->default_value) : found->second;
}

} // namespace atl
