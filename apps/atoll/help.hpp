#pragma once

#include <atoll/core/options.hpp>

#include <string>

namespace atl::app {

/// `atoll --help`: the commands, MATRIX, exit statuses.
std::string general_help();
/// `atoll COMMAND --help`: all there is to know about one command.
std::string command_help(const CommandSpec& command);

} // namespace atl::app
