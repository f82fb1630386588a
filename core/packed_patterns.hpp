#pragma once
/// The patterns that the stencil form of a packed matrix repeats.

#include <atoll/core/packed_matrix.hpp>
#include <atoll/core/packed_palette.hpp>

#include <array>

namespace atl::packing {

/// The patterns of a matrix and, by their hash, where they stand.
template <class T>
class PatternBook {
 public:
  std::vector<StencilPattern> pattern;
  std::vector<LocalIndex> offset;
  std::vector<T> value;

  /// Runs of the chunk's rows; new patterns are added. forget() takes back what the last call added.
  std::vector<StencilRun> runs(const ChunkRows<T>& rows, LocalIndex first, const std::vector<std::uint8_t>& groups) {
    mark_ = {pattern.size(), offset.size(), value.size()};
    std::vector<StencilRun> runs;
    LocalIndex r = 0;
    for (const std::uint8_t n : groups) {
      if (rows.length(r) > 0) {
        const std::uint32_t p = find_or_add(rows, first, r, n);
        const bool goes_on =
            !runs.empty() && runs.back().pattern == p && runs.back().first + runs.back().count * n == r;
        if (goes_on)
          ++runs.back().count;
        else
          runs.push_back({static_cast<std::uint16_t>(r), 1, p});
      }
      r += n;
    }
    return runs;
  }
  std::size_t bytes_added() const {
    return (pattern.size() - mark_[0]) * sizeof(StencilPattern) + (offset.size() - mark_[1]) * sizeof(LocalIndex) +
           (value.size() - mark_[2]) * sizeof(T);
  }
  void forget() {
    for (std::size_t p = mark_[0]; p < pattern.size(); ++p) index_.erase(hashes_[p]);
    hashes_.resize(mark_[0]);
    pattern.resize(mark_[0]);
    offset.resize(mark_[1]);
    value.resize(mark_[2]);
  }

 private:
  std::uint32_t find_or_add(const ChunkRows<T>& rows, LocalIndex first, LocalIndex r, std::uint16_t n) {
    const LocalIndex row = first + r;
    const auto width = static_cast<std::size_t>(rows.length(r));
    std::uint64_t hash = 0x9e3779b97f4a7c15u + n;
    const auto mix = [&hash](std::uint64_t bits) {
      hash = (hash ^ bits) * 0xd6e8feb86659fd93u;
      hash ^= hash >> 32;
    };
    for (std::size_t k = 0; k < width; ++k) {
      mix(static_cast<std::uint64_t>(std::int64_t{rows.column[rows.begin[r] + k]} - row));
      for (LocalIndex i = 0; i < n; ++i) mix(std::bit_cast<Bits<T>>(rows.value[rows.begin[r + i] + k]));
    }
    const auto equal = [&](const StencilPattern& p) {
      if (p.columns != width || p.rows != n) return false;
      for (std::size_t k = 0; k < width; ++k) {
        if (offset[p.column_begin + k] != rows.column[rows.begin[r] + k] - row) return false;
        for (LocalIndex i = 0; i < n; ++i)
          if (std::bit_cast<Bits<T>>(value[p.value_begin + k * n + i]) !=
              std::bit_cast<Bits<T>>(rows.value[rows.begin[r + i] + k]))
            return false;
      }
      return true;
    };
    // Two patterns with one hash: the search goes on behind it.
    auto found = index_.find(hash);
    while (found != index_.end() && !equal(pattern[found->second])) found = index_.find(++hash);
    if (found != index_.end()) return found->second;

    const auto p = static_cast<std::uint32_t>(pattern.size());
    pattern.push_back({narrow<std::uint32_t>(std::ssize(offset)), narrow<std::uint32_t>(std::ssize(value)),
                       static_cast<std::uint16_t>(width), n});
    for (std::size_t k = 0; k < width; ++k) {
      offset.push_back(rows.column[rows.begin[r] + k] - row);
      for (LocalIndex i = 0; i < n; ++i) value.push_back(rows.value[rows.begin[r + i] + k]);
    }
    index_.emplace(hash, p);
    hashes_.push_back(hash);
    return p;
  }

  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<std::uint64_t> hashes_;
  std::array<std::size_t, 3> mark_{};
};

} // namespace atl::packing
