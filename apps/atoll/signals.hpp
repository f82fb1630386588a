#pragma once

#include <atomic>

namespace atl::app {

/// Thrown on all ranks together when one of them was told to stop. The command ends with 128 + signal.
struct Interrupted {
  int signal;
};

/// SIGINT and SIGTERM become a wish to stop, heard between iterations and between phases; files appear whole
/// or not at all. A second signal ends the process at once.
void install_signal_handlers();

/// The signal that came, or 0. Of this rank only.
const std::atomic<int>& pending_signal();

} // namespace atl::app
