#include "commands.hpp"

#include <atoll/core/options.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

std::vector<std::string> commands_of(CommandSet set) {
  std::vector<std::string> names;
  for (const CommandSpec& command : command_table())
    if (command.available && (set & command.bit)) names.emplace_back(command.name);
  return names;
}

std::string spelling(const OptionSpec& option) {
  std::string text = fmt::format("--{}", option.name);
  if (option.short_name) text = fmt::format("-{}, {}", option.short_name, text);
  return option.value_name.empty() ? text : fmt::format("{} {}", text, option.value_name);
}

std::string described(const OptionSpec& option) {
  const std::vector<std::string> required = commands_of(option.required_by);
  return fmt::format("{}\n    {}\n    expects {}; default {}; taken by {}{}{}\n    {}\n", spelling(option),
                     option.doc, expected_values(option),
                     option.default_value.empty() ? "none" : option.default_value,
                     fmt::join(commands_of(option.taken_by), ", "), required.empty() ? "" : "; required by ",
                     fmt::join(required, ", "), option.advice);
}

Report reported(const OptionSpec& option) {
  Report row;
  row.set("name", option.name).set("group", option.group);
  if (option.short_name) row.set("short", std::string(1, option.short_name));
  const std::vector<std::string> commands = commands_of(option.taken_by), required = commands_of(option.required_by);
  row.set("commands", std::span<const std::string>(commands));
  row.set("required_by", std::span<const std::string>(required));
  row.set("expects", expected_values(option));
  if (option.default_value.empty())
    row.set("default", nullptr);
  else
    row.set("default", option.default_value);
  row.set("doc", option.doc).set("advice", option.advice);
  return row;
}

} // namespace

int run(Session& session, Listener&, const CommonJob&, const OptionsJob&) {
  std::string text;
  std::string_view group;
  for (const OptionSpec& option : option_table()) {
    if (option.hidden || commands_of(option.taken_by).empty()) continue;
    if (option.group != group) text += fmt::format("{}{}\n", group.empty() ? "" : "\n", option.group);
    group = option.group;
    text += described(option);
    session.report.append("options", reported(option));
  }
  session.summary.add_block(text);
  session.finish_without_figures();
  return 0;
}

} // namespace atl::app
