#pragma once

#include "job.hpp"

#include <span>
#include <string>
#include <variant>

namespace atl::app {

/// A text to print instead of a job: help, or the version.
struct Help {
  std::string text;
};

/// The arguments (without the program's name) as a job, from the tables of commands and options. Local, the
/// same on all ranks. Errors: Error{usage}.
std::variant<Job, Help> parse_command_line(std::span<const std::string> arguments);

} // namespace atl::app
