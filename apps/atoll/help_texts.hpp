#pragma once

#include <string_view>

namespace atl::app {

/// What help says about a command beyond its tables.
struct HelpTexts {
  std::string_view command;
  std::string_view description;
  std::string_view examples; ///< lines
  bool takes_matrix = true;
};
const HelpTexts& help_texts(std::string_view command);

/// What an option means to one command, where its row in the table speaks for several.
struct OptionMeaning {
  std::string_view command, option, doc, advice;
};
/// nullptr where the table says it all.
const OptionMeaning* option_meaning(std::string_view command, std::string_view option);

inline constexpr std::string_view exit_status_help =
    "Exit status\n"
    "  0  done\n"
    "  1  ran, but did not converge or broke down; the reason is printed, and an answer whose residual\n"
    "     is within twice the smallest seen is still written\n"
    "  2  usage: the command line is wrong\n"
    "  3  bad input: a file or matrix is not what it should be\n"
    "  4  environment: something is missing on this machine (plug-in, GPU, memory, permission)\n"
    "  5  internal error: a fault of Atoll\n"
    "  128 + N  ended by signal N\n";

} // namespace atl::app
