#include "signals.hpp"

#include <csignal>
#include <initializer_list>

namespace atl::app {

namespace {

std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember(int signal) {
  int none = 0;
  if (came.compare_exchange_strong(none, signal)) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

} // namespace

void install_signal_handlers() {
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = SA_RESTART;
  for (int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

const std::atomic<int>& pending_signal() { return came; }

} // namespace atl::app
