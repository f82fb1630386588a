#pragma once

#include <atoll/core/types.hpp>

#include <cstddef>
#include <map>
#include <span>
#include <string_view>

namespace atl {

/// A range of memory that an operation is about to touch, under the name its caller gives it.
struct NamedRange {
  std::string_view name;
  const void* begin;
  std::size_t bytes;
};

template <class T>
NamedRange named(std::string_view name, const T* begin, Offset count) {
  return {name, begin, static_cast<std::size_t>(count) * sizeof(T)};
}

/// "Device" memory inside the process: one stretch of addresses, closed to every access except while an Open
/// lives. Fresh memory holds NaN; between arrays lie red zones, which check_zones() inspects.
class GuardedMemory {
 public:
  GuardedMemory();
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  /// nullptr when the stretch is used up.
  void* allocate(std::size_t bytes);
  void deallocate(void* memory) noexcept;

  /// Throws Error{internal} naming the operation and the range unless the range lies inside one array.
  void require_inside(std::string_view operation, const NamedRange& range) const;
  /// Throws Error{internal} when the range touches this memory.
  void require_outside(std::string_view operation, const NamedRange& range) const;
  /// Throws Error{internal} naming the operation when the zones beside the array of a range were written to.
  /// Needs an Open.
  void check_zones(std::string_view operation, const NamedRange& range) const;

  /// Makes the memory accessible while it lives.
  class Open {
   public:
    explicit Open(GuardedMemory& memory);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    GuardedMemory& memory_;
  };

 private:
  using Arrays = std::map<const std::byte*, std::size_t>; ///< start, bytes

  std::byte* find_gap(std::size_t bytes) const;
  Arrays::const_iterator array_at(const void* address) const;
  void protect(int protection) const;

  std::byte* base_ = nullptr;
  std::byte* used_end_; ///< no array ever reached beyond
  Arrays arrays_;
};

} // namespace atl
