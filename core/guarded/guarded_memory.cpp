#include <atoll/core/guarded/guarded_memory.hpp>

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace atl {

namespace {

constexpr std::size_t capacity = std::size_t{1} << 34; // addresses only; memory is taken as arrays touch it
constexpr std::size_t line = 64;                       // alignment of arrays, least width of a red zone
constexpr int nan_byte = 0xff;                         // eight of them are a NaN, as float and as double
constexpr int zone_byte = 0xa5;

constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + line - 1) / line * line; }

bool untouched(const std::byte* begin, const std::byte* end) {
  return std::all_of(begin, end, [](std::byte b) { return b == std::byte{zone_byte}; });
}

} // namespace

GuardedMemory::GuardedMemory() {
  void* memory = mmap(nullptr, capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    throw Error(ErrorKind::environment,
                fmt::format("no address range of {} bytes for guarded memory: raise `ulimit -v`", capacity));
  base_ = static_cast<std::byte*>(memory);
  used_end_ = base_;
}

GuardedMemory::~GuardedMemory() { munmap(base_, capacity); }

/// The first place for `bytes` and a zone on either side; zones of neighbours may be shared.
std::byte* GuardedMemory::find_gap(std::size_t bytes) const {
  std::byte* candidate = base_ + line;
  for (const auto& [start, size] : arrays_) {
    if (candidate + whole_lines(bytes) + line <= start) return candidate;
    candidate = base_ + (start - base_) + whole_lines(size) + line;
  }
  const auto left = static_cast<std::size_t>(base_ + capacity - candidate);
  return bytes < left && whole_lines(bytes) + line <= left ? candidate : nullptr;
}

void* GuardedMemory::allocate(std::size_t bytes) {
  std::byte* start = find_gap(bytes);
  if (!start) return nullptr;
  arrays_.emplace(start, bytes);
  std::byte* end = start + whole_lines(bytes) + line;
  used_end_ = std::max(used_end_, end);
  const Open open(*this);
  std::memset(start - line, zone_byte, line);
  std::memset(start, nan_byte, bytes);
  std::memset(start + bytes, zone_byte, static_cast<std::size_t>(end - start) - bytes);
  return start;
}

void GuardedMemory::deallocate(void* memory) noexcept { arrays_.erase(static_cast<const std::byte*>(memory)); }

GuardedMemory::Arrays::const_iterator GuardedMemory::array_at(const void* address) const {
  const auto* byte = static_cast<const std::byte*>(address);
  auto next = arrays_.upper_bound(byte);
  if (next == arrays_.begin()) return arrays_.end();
  --next;
  return byte < next->first + next->second ? next : arrays_.end();
}

void GuardedMemory::require_inside(std::string_view operation, const NamedRange& range) const {
  if (range.bytes == 0) return;
  const auto* begin = static_cast<const std::byte*>(range.begin);
  const auto array = array_at(begin);
  if (array == arrays_.end())
    throw Error(ErrorKind::internal,
                fmt::format("'{}' was given {} for '{}': memory of the device is expected", operation,
                            !begin                                       ? "a null pointer"
                            : begin >= base_ && begin < base_ + capacity ? "freed memory"
                                                                         : "memory of the host",
                            range.name));
  const auto available = static_cast<std::size_t>(array->first + array->second - begin);
  if (range.bytes > available)
    throw Error(ErrorKind::internal, fmt::format("'{}' would touch {} bytes of '{}', whose array ends after {}",
                                                 operation, range.bytes, range.name, available));
}

void GuardedMemory::require_outside(std::string_view operation, const NamedRange& range) const {
  const auto* begin = static_cast<const std::byte*>(range.begin);
  if (range.bytes && begin < base_ + capacity && begin + range.bytes > base_)
    throw Error(ErrorKind::internal,
                fmt::format("'{}' was given memory of the device for '{}': memory of the host is expected", operation,
                            range.name));
}

void GuardedMemory::check_zones(std::string_view operation, const NamedRange& range) const {
  const auto array = array_at(range.begin);
  if (array == arrays_.end()) return;
  const auto& [start, bytes] = *array;
  if (!untouched(start - line, start) || !untouched(start + bytes, start + whole_lines(bytes) + line))
    throw Error(ErrorKind::internal, fmt::format("'{}' wrote outside the array of '{}'", operation, range.name));
}

void GuardedMemory::protect(int protection) const {
  const auto used = static_cast<std::size_t>(used_end_ - base_);
  if (used && mprotect(base_, used, protection) != 0)
    throw Error(ErrorKind::environment, fmt::format("cannot change the access to {} bytes of guarded memory: {}",
                                                    used, std::strerror(errno)));
}

GuardedMemory::Open::Open(GuardedMemory& memory) : memory_(memory) { memory_.protect(PROT_READ | PROT_WRITE); }

GuardedMemory::Open::~Open() { memory_.protect(PROT_NONE); }

} // namespace atl
