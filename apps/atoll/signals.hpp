#pragma once

#include <atomic>

namespace atl::app {

/// Thrown on all ranks together when one of them was told to stop. The command ends with 128 + signal.
struct Interrupted {
  int signal;
};

/// SIGINT, SIGTERM and SIGHUP become a wish to stop, heard between iterations and between phases; files that are not
/// finished by then are given up and removed at once, since who sends a signal may not wait for long (mpirun: a second).
/// A second signal ends the process at once. A signal that is ignored when the command starts (nohup) stays ignored.
void install_signal_handlers();

/// The signal that came, or 0. Of this rank only.
const std::atomic<int>& pending_signal();

} // namespace atl::app
