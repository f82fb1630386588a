#pragma once
/// Private to io: matrix entries on their way from a file to a RowBlock, in little memory.

#include <atoll/core/types.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace atl {

/// Uninitialised array of trivially copyable values. Large ones are pages of their own, so that the machine
/// has them back as soon as they are released, whatever the allocator's habits.
template <class T>
class PageArray {
 public:
  PageArray() = default;
  explicit PageArray(std::size_t size);
  PageArray(PageArray&& other) noexcept : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
  PageArray& operator=(PageArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~PageArray() { release(); }

  void release() noexcept;
  T* data() { return data_; }
  const T* data() const { return data_; }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Where an entry lies within a slab of rows: row and column packed into 64 bits.
class EntryKeys {
 public:
  /// For slabs of at most `rows` rows. Errors: Error{limit} when both do not fit 64 bits.
  EntryKeys(GlobalIndex rows, GlobalIndex columns);

  std::uint64_t pack(GlobalIndex row, GlobalIndex column) const {
    return static_cast<std::uint64_t>(row) << column_bits_ | static_cast<std::uint64_t>(column);
  }
  GlobalIndex row(std::uint64_t key) const { return static_cast<GlobalIndex>(key >> column_bits_); }
  GlobalIndex column(std::uint64_t key) const { return static_cast<GlobalIndex>(key & mask_); }

 private:
  int column_bits_;
  std::uint64_t mask_;
};

/// Keys and values of entries in the order in which they came, in chunks. Keys and values can be released
/// apart, so that building a matrix needs at no time more than half of either twice.
template <class T>
class EntryStore {
 public:
  void add(std::uint64_t key, T value) {
    if (chunks_.empty() || chunks_.back().size == chunks_.back().capacity) grow();
    Chunk& chunk = chunks_.back();
    chunk.keys.data()[chunk.size] = key;
    chunk.values.data()[chunk.size++] = value;
    ++size_;
  }
  Offset size() const { return size_; }

  /// f(key) for all entries.
  template <class F>
  void for_each_key(F f) const {
    for (const Chunk& chunk : chunks_)
      for (std::size_t e = 0; e < chunk.size; ++e) f(chunk.keys.data()[e]);
  }
  /// f(key, value) for all entries; the values are gone afterwards.
  template <class F>
  void consume_values(F f) {
    for (Chunk& chunk : chunks_) {
      for (std::size_t e = 0; e < chunk.size; ++e) f(chunk.keys.data()[e], chunk.values.data()[e]);
      chunk.values.release();
    }
  }
  /// f(key) for all entries; the keys are gone afterwards, and with them the store.
  template <class F>
  void consume_keys(F f) {
    for (Chunk& chunk : chunks_) {
      for (std::size_t e = 0; e < chunk.size; ++e) f(chunk.keys.data()[e]);
      chunk.keys.release();
    }
    chunks_.clear();
    size_ = 0;
  }

  /// One entry as it travels: key, then value.
  static constexpr std::size_t item_bytes = sizeof(std::uint64_t) + sizeof(T);
  /// Entries [first, first + count) as items.
  void copy_items(Offset first, Offset count, std::byte* out) const;
  void add_items(Offset count, const std::byte* items);

 private:
  struct Chunk {
    PageArray<std::uint64_t> keys;
    PageArray<T> values;
    std::size_t size = 0, capacity = 0;
  };
  void grow();

  std::vector<Chunk> chunks_;
  Offset size_ = 0;
};

} // namespace atl
