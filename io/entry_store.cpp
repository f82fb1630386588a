#include <atoll/io/entry_store.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace atl {
namespace {

constexpr std::size_t page_array_bytes = 128 * 1024; ///< from here on, pages of their own
constexpr std::size_t first_chunk = 256, largest_chunk = 1 << 16;

/// Bits that hold the numbers from 0 to n - 1.
int bits_to_count(GlobalIndex n) {
  return n > 1 ? static_cast<int>(std::bit_width(static_cast<std::uint64_t>(n - 1))) : 0;
}

} // namespace

template <class T>
PageArray<T>::PageArray(std::size_t size) : size_(size) {
  const std::size_t bytes = size * sizeof(T);
  void* memory = bytes < page_array_bytes
                     ? std::malloc(bytes)
                     : ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!memory || memory == MAP_FAILED) throw std::bad_alloc();
  data_ = static_cast<T*>(memory);
}

template <class T>
void PageArray<T>::release() noexcept {
  if (!data_) return;
  const std::size_t bytes = size_ * sizeof(T);
  if (bytes < page_array_bytes)
    std::free(data_);
  else
    ::munmap(data_, bytes);
  data_ = nullptr;
}

EntryKeys::EntryKeys(GlobalIndex rows, GlobalIndex columns) {
  column_bits_ = bits_to_count(columns);
  mask_ = (std::uint64_t{1} << column_bits_) - 1;
  if (bits_to_count(rows) + column_bits_ > 64)
    throw Error(
        ErrorKind::limit,
        fmt::format("too large: {} rows on a rank times {} columns exceed 64 bits; use more ranks", rows, columns));
}

template <class T>
void EntryStore<T>::grow() {
  const std::size_t capacity = chunks_.empty() ? first_chunk : std::min(2 * chunks_.back().capacity, largest_chunk);
  chunks_.push_back({PageArray<std::uint64_t>(capacity), PageArray<T>(capacity), 0, capacity});
}

template <class T>
void EntryStore<T>::copy_items(Offset first, Offset count, std::byte* out) const {
  for (const Chunk& chunk : chunks_) {
    if (count == 0) return;
    const auto size = static_cast<Offset>(chunk.size);
    for (; first < size && count > 0; ++first, --count, out += item_bytes) {
      std::memcpy(out, chunk.keys.data() + first, sizeof(std::uint64_t));
      std::memcpy(out + sizeof(std::uint64_t), chunk.values.data() + first, sizeof(T));
    }
    first -= size;
  }
}

template <class T>
void EntryStore<T>::add_items(Offset count, const std::byte* items) {
  for (; count > 0; --count, items += item_bytes) {
    std::uint64_t key = 0;
    T value{};
    std::memcpy(&key, items, sizeof key);
    std::memcpy(&value, items + sizeof key, sizeof value);
    add(key, value);
  }
}

template class PageArray<std::uint64_t>;
template class PageArray<float>;
template class PageArray<double>;
template class EntryStore<float>;
template class EntryStore<double>;

} // namespace atl
