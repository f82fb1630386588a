#include "signals.hpp"

#include <atoll/io/safe_file.hpp>

#include <cerrno>
#include <csignal>
#include <initializer_list>

namespace atl::app {

namespace {

std::atomic<int> came{0};
static_assert(std::atomic<int>::is_always_lock_free);

extern "C" void remember(int signal) {
  const int error = errno;
  give_up_unfinished_files();
  errno = error;
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
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

const std::atomic<int>& pending_signal() { return came; }

} // namespace atl::app
