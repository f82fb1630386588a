#include <atoll/core/memory.hpp>

#include <malloc.h>

#include <charconv>
#include <fstream>
#include <string>
#include <string_view>

namespace atl {

namespace {

/// A line of /proc/self/status such as "VmHWM:     5120 kB", in bytes.
std::int64_t status_bytes(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t digits = line.find_first_of("0123456789");
    if (digits == std::string::npos) return 0;
    std::int64_t kibibytes = 0;
    std::from_chars(line.data() + digits, line.data() + line.size(), kibibytes);
    return kibibytes * 1024;
  }
  return 0;
}

} // namespace

std::int64_t peak_resident_bytes() { return status_bytes("VmHWM:"); }

std::int64_t current_resident_bytes() { return status_bytes("VmRSS:"); }

void return_freed_memory() {
  constexpr int large = 1 << 20;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
}

} // namespace atl
