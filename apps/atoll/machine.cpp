#include "machine.hpp"

#include <charconv>
#include <cstdio>
#include <sched.h>
#include <string_view>
#include <sys/utsname.h>
#include <unistd.h>

namespace atl::app {

namespace {

/// The first bytes of a small system file, or nothing.
std::string contents(const char* path) {
  std::string text;
  if (std::FILE* file = std::fopen(path, "r")) {
    char buffer[16384];
    text.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
    std::fclose(file);
  }
  return text;
}

/// What stands after "key" and a colon, on the first line that begins with the key.
std::string value_of(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != text.npos; at = text.find(key, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    std::string_view line = text.substr(at, text.find('\n', at) - at);
    line.remove_prefix(std::min(line.find(':') + 1, line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return std::string(line);
  }
  return {};
}

std::int64_t kilobytes(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value * 1024;
}

/// "always [madvise] never" has the setting in brackets.
std::string bracketed(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  return open != text.npos && close != text.npos ? text.substr(open + 1, close - open - 1) : std::string();
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                     : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

} // namespace

Machine this_machine() {
  Machine machine;
  utsname name{};
  if (uname(&name) == 0) {
    machine.host = name.nodename;
    machine.system = std::string(name.sysname) + " " + name.release + " " + name.machine;
  }
  machine.processor = value_of(contents("/proc/cpuinfo"), "model name");
  machine.hardware_threads = usable_threads();
  const std::string memory = contents("/proc/meminfo");
  machine.memory_bytes = kilobytes(value_of(memory, "MemTotal"));
  machine.memory_available_bytes = kilobytes(value_of(memory, "MemAvailable"));
  machine.huge_pages = bracketed(contents("/sys/kernel/mm/transparent_hugepage/enabled"));
  return machine;
}

} // namespace atl::app
