#include "listener.hpp"

#include "summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace atl::app {

namespace {

constexpr double seconds_between_updates = 0.1;
constexpr std::size_t most_reserved = 1 << 16;

} // namespace

Listener::Listener(Settings settings) : settings_(settings) {
  history_.reserve(std::min<std::size_t>(static_cast<std::size_t>(settings.max_iterations) + 1, most_reserved));
}

Listener::~Listener() { clear_line(); }

void Listener::phase_begins(std::string_view name) {
  phase_ = name;
  since_begin_.restart();
  if (settings_.progress) show(phase_);
}

void Listener::phase_ends(std::string_view, double) { clear_line(); }

void Listener::progress(Offset done, Offset all) {
  if (!settings_.progress || since_shown_.seconds() < seconds_between_updates || all <= 0) return;
  show(fmt::format("{}: {:.0f} %", phase_, 100.0 * static_cast<double>(done) / static_cast<double>(all)));
}

void Listener::iteration(int number, double residual_norm, double reference_norm) {
  const double relative = reference_norm > 0 ? residual_norm / reference_norm : residual_norm;
  history_.push_back(relative);
  if (settings_.speaks && settings_.monitor) {
    clear_line();
    std::FILE* stream = settings_.monitor_on_stderr ? stderr : stdout;
    std::fputs(
        fmt::format("iteration {:6}  residual {:.6e}  relative {:.6e}\n", number, residual_norm, relative).c_str(),
        stream);
    std::fflush(stream);
  }
  if (settings_.progress && since_shown_.seconds() >= seconds_between_updates)
    show(fmt::format("{}: iteration {}, relative residual {:.2e}{}, {:.1f} s", phase_, number, relative,
                     settings_.rtol > 0 ? fmt::format(" (asked: {:.0e})", settings_.rtol) : "",
                     since_begin_.seconds()));
}

void Listener::warning(std::string_view text) { notes_.emplace_back(text); }

void Listener::decision(std::string_view what, std::string_view why) {
  notes_.push_back(fmt::format("{}: {}", what, why));
}

void Listener::show(const std::string& line) {
  std::fputs(("\r\x1b[K" + printable(line)).c_str(), stderr);
  std::fflush(stderr);
  shown_ = true;
  since_shown_.restart();
}

void Listener::clear_line() {
  if (!shown_) return;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

} // namespace atl::app
