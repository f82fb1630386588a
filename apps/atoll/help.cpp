#include "help.hpp"

#include "help_texts.hpp"

#include <atoll/core/version.hpp>
#include <atoll/io/model_problem.hpp>
#include <atoll/solvers/registry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace atl::app {

namespace {

constexpr std::size_t line_width = 100;

/// Words of `text` in lines of at most line_width, all but the first indented.
std::string wrapped(std::string_view text, std::size_t indent) {
  std::string result;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (column > indent && column + 1 + end > line_width) {
      result += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      result += ' ';
      ++column;
    }
    result += text.substr(0, end);
    column += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result;
}

/// "  name   text", the text wrapped in its own column.
std::string entry(std::string_view name, std::string_view text, std::size_t width) {
  const std::size_t column = width + 4;
  if (name.size() > width) return fmt::format("  {}\n{}{}\n", name, std::string(column, ' '), wrapped(text, column));
  return fmt::format("  {:<{}}  {}\n", name, width, wrapped(text, column));
}

std::string matrix_help() {
  std::string text = "MATRIX is a file or a model problem\n";
  text += entry("FILE",
                "Matrix Market, or a store (HDF5) as written by convert, generate and partition; "
                "its content tells which, not its name",
                44);
  for (const ModelProblemKind& kind : model_problem_kinds()) text += entry(kind.spelling, kind.meaning, 44);
  return text;
}

std::string names_help(const char* title, std::span<const SolverName> names) {
  std::string text = fmt::format("{}\n", title);
  for (const SolverName& name : names)
    if (name.available) text += entry(name.name, name.meaning, 14);
  std::string missing;
  for (const SolverName& name : names)
    if (!name.available) missing += fmt::format("{}{}", missing.empty() ? "" : ", ", name.name);
  if (!missing.empty()) text += fmt::format("  {}\n", wrapped("not in this build: " + missing, 4));
  return text;
}

std::string option_help(const OptionSpec& option, const CommandSpec& command) {
  std::string name = option.short_name ? fmt::format("-{}, --{}", option.short_name, option.name)
                                       : fmt::format("    --{}", option.name);
  if (!option.value_name.empty()) name += fmt::format(" {}", option.value_name);

  const OptionMeaning* meaning = option_meaning(command.name, option.name);
  std::string text = option.required_by & command.bit ? "REQUIRED. " : "";
  text += meaning ? meaning->doc : option.doc;
  const bool numeric = option.kind == OptionKind::integer || option.kind == OptionKind::real;
  const bool choice = option.kind == OptionKind::choice && option.value_name != option.choices;
  if (numeric || choice) text += fmt::format(" [{}]", expected_values(option));
  if (!option.default_value.empty()) text += fmt::format(" (default {})", option.default_value);
  const std::string_view advice = meaning ? meaning->advice : option.advice;
  if (!advice.empty()) text += fmt::format(". {}.", advice);
  return entry(name, text, 28);
}

/// The groups in the order of the table.
std::vector<std::string_view> option_groups(const CommandSpec& command) {
  std::vector<std::string_view> groups;
  for (const OptionSpec& option : option_table())
    if ((option.taken_by & command.bit) && std::find(groups.begin(), groups.end(), option.group) == groups.end())
      groups.push_back(option.group);
  return groups;
}

/// " --vector FILE", as the call must have them.
std::string required_call(const CommandSpec& command) {
  std::string text;
  for (const OptionSpec& option : option_table())
    if (option.required_by & command.bit)
      text += option.short_name ? fmt::format("-{} {} ", option.short_name, option.value_name)
                                : fmt::format("--{} {} ", option.name, option.value_name);
  return text;
}

std::string options_help(const CommandSpec& command) {
  std::string text;
  for (std::string_view group : option_groups(command)) {
    text += fmt::format("\nOptions: {}\n", group);
    for (const OptionSpec& option : option_table())
      if ((option.taken_by & command.bit) && option.group == group && !option.hidden)
        text += option_help(option, command);
  }
  return text + "\n" + entry("-h, --help", "print this and do nothing", 28);
}

} // namespace

std::string general_help() {
  std::string text =
      fmt::format("atoll {}: sparse linear systems over many processes\n\n"
                  "Usage\n  atoll COMMAND [options]\n  mpirun -n P atoll COMMAND [options]\n\nCommands\n",
                  atoll_version());
  std::string missing;
  for (const CommandSpec& command : command_table()) {
    std::string call = fmt::format("{} {} {}", command.name, command.positionals, required_call(command));
    call.erase(call.find_last_not_of(' ') + 1);
    if (command.available)
      text += entry(call, command.doc, 29);
    else
      missing += fmt::format("{}{}", missing.empty() ? "" : ", ", command.name);
  }
  if (!missing.empty()) text += fmt::format("  not in this build: {}\n", missing);
  return text +
         "\n  atoll COMMAND --help tells all about one, atoll options all options, atoll --version the "
         "version.\n\n" +
         matrix_help() + "\nExample\n  mpirun -n 2 atoll solve poisson2d:300x300\n\n" + std::string(exit_status_help);
}

std::string command_help(const CommandSpec& command) {
  const HelpTexts& texts = help_texts(command.name);
  std::string text =
      fmt::format("atoll {}: {}\n\nUsage\n  [mpirun -n P] atoll {} {}{}{}[options]\n\n  {}\n", command.name,
                  command.doc, command.name, command.positionals, command.positionals.empty() ? "" : " ",
                  required_call(command), wrapped(texts.description, 2));
  text += options_help(command);
  if (texts.takes_matrix) text += "\n" + matrix_help();
  if (command.bit == commands::solve)
    text +=
        "\n" + names_help("Methods", method_names()) + "\n" + names_help("Preconditioners", preconditioner_names());
  return text + fmt::format("\nExamples\n{}\n{}", texts.examples, exit_status_help);
}

} // namespace atl::app
