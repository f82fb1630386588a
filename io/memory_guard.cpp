#include <atoll/comm/agree.hpp>
#include <atoll/io/memory_guard.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace atl {
namespace {

constexpr double small_need = 256.0 * 1024 * 1024;
constexpr double usable = 0.8; ///< of what is available; something must be left for the work itself
constexpr double gib = 1024.0 * 1024 * 1024;

/// The number after `key` in a file of lines; `otherwise` where there is none.
double number_in_file(const char* path, const char* format, double otherwise) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "re"), std::fclose);
  if (!file) return otherwise;
  char line[256];
  while (std::fgets(line, sizeof line, file.get())) {
    unsigned long long value = 0;
    if (std::sscanf(line, format, &value) == 1) return static_cast<double>(value);
  }
  return otherwise;
}

/// What this machine, or the container we are in, can still give.
double available_bytes() {
  constexpr double unlimited = 1e300;
  const double machine = number_in_file("/proc/meminfo", "MemAvailable: %llu kB", unlimited / 1024) * 1024;
  const double container = number_in_file("/sys/fs/cgroup/memory.max", "%llu", unlimited);
  return std::min(machine, container);
}

/// Ranks with the same number share a machine (FNV-1a of its name).
std::int64_t machine_number() {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : std::string_view(name)) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return static_cast<std::int64_t>(hash);
}

} // namespace

void require_memory(Communicator& comm, double bytes, const std::string& what, const std::string& where) {
  if (bytes < small_need) return;
  const std::int64_t mine = machine_number();
  const auto machines = comm.all_gather(mine);
  agree(comm, [&] {
    const auto ranks_here = std::count(machines.begin(), machines.end(), mine);
    const double needed = bytes * static_cast<double>(ranks_here), available = available_bytes();
    if (needed > usable * available)
      throw Error(ErrorKind::limit,
                  fmt::format("{}: too large for the memory, {} rank(s) of one machine need {:.1f} GiB of the "
                              "{:.1f} GiB that are available; use more machines",
                              what, ranks_here, needed / gib, available / gib),
                  where);
  });
}

} // namespace atl
