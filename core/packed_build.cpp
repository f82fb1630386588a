#include <atoll/core/packed_layout.hpp>
#include <atoll/core/packed_matrix.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <unordered_map>

namespace atl {
namespace {

constexpr std::uint32_t most_group_rows = 4;
constexpr std::uint32_t lanes = PackedMatrix<double>::slice_rows;

template <class T>
bool fits_single(T value) {
  if constexpr (std::is_same_v<T, float>)
    return false; // nothing to gain
  else
    return std::bit_cast<std::uint64_t>(static_cast<T>(static_cast<float>(value))) ==
           std::bit_cast<std::uint64_t>(value);
}

template <class T>
using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// The distinct values of a matrix, while there are at most 256.
template <class T>
class Palette {
 public:
  void add(std::span<const T> values) {
    for (const T value : values) {
      if (full_) return;
      if (last_ == std::bit_cast<Bits<T>>(value) && !code_.empty()) continue;
      last_ = std::bit_cast<Bits<T>>(value);
      code_.try_emplace(last_, static_cast<std::uint8_t>(code_.size()));
      full_ = code_.size() > 256;
    }
  }
  bool usable() const { return !full_; }
  bool full() const { return full_; }
  std::uint8_t code(T value) const { return code_.at(std::bit_cast<Bits<T>>(value)); }
  /// The values as floats where there are at most 8 and none changes.
  std::vector<float> few() const {
    std::vector<float> values(8);
    if (code_.size() > values.size()) return {};
    for (const auto& [bits, code] : code_) {
      if (!fits_single(std::bit_cast<T>(bits))) return {};
      values[code] = static_cast<float>(std::bit_cast<T>(bits));
    }
    return values;
  }
  std::vector<T> values() const {
    std::vector<T> values(256);
    for (const auto& [bits, code] : code_) values[code] = std::bit_cast<T>(bits);
    return values;
  }

 private:
  std::unordered_map<Bits<T>, std::uint8_t> code_;
  Bits<T> last_ = 0;
  bool full_ = false;
};

/// Rows of a chunk that share their columns: sizes of the groups, in order.
template <class T>
std::vector<std::uint8_t> group_rows(const ChunkRows<T>& rows) {
  const auto same_columns = [&](LocalIndex a, LocalIndex b) {
    return rows.length(a) == rows.length(b) &&
           std::equal(rows.column.begin() + rows.begin[a], rows.column.begin() + rows.begin[a + 1],
                      rows.column.begin() + rows.begin[b]);
  };
  std::vector<std::uint8_t> groups;
  for (LocalIndex r = 0; r < rows.rows();) {
    std::uint8_t n = 1;
    while (n < most_group_rows && r + n < rows.rows() && rows.length(r) > 0 && same_columns(r, r + n)) ++n;
    groups.push_back(n);
    r += n;
  }
  return groups;
}

/// Order of the rows in slices: by descending length where that saves padding; empty rows are left out then.
template <class T>
std::vector<std::uint16_t> slice_order(const ChunkRows<T>& rows, bool& permuted) {
  std::vector<std::uint16_t> order(static_cast<std::size_t>(rows.rows()));
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  const auto padded = [&] {
    Offset sum = 0;
    for (std::size_t s = 0; s < order.size(); s += lanes) {
      Offset width = 0;
      for (std::size_t i = s; i < std::min(order.size(), s + lanes); ++i)
        width = std::max(width, rows.length(order[i]));
      sum += width * lanes;
    }
    return sum;
  };
  const Offset natural = padded();
  const bool has_empty = std::ranges::any_of(order, [&](auto r) { return rows.length(r) == 0; });
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return rows.length(a) > rows.length(b); });
  // A row number costs 2 bytes, a place that is saved at least 3.
  permuted = has_empty || (natural - padded()) * 3 > 2 * std::ssize(order) + natural / 20;
  if (!permuted) std::iota(order.begin(), order.end(), std::uint16_t{0});
  while (!order.empty() && rows.length(order.back()) == 0) order.pop_back();
  return order;
}

} // namespace

/// Decides and writes the chunks of one matrix.
class PackedBuild {
 public:
  template <class T>
  static void run(PackedMatrix<T>& a, const ExecutorPtr& executor, const ChunkReader<T>& read, StorageWish wish);
};

namespace {

/// The chunk with its form, and what the decision found out for the writing.
template <class T>
class ChunkPlan {
 public:
  ChunkPlan(const ChunkRows<T>& rows, LocalIndex first, const Palette<T>* palette, bool updatable) : rows_(rows) {
    chunk_.first = first;
    chunk_.rows = rows.rows();
    chunk_.entries = narrow<std::uint32_t>(std::ssize(rows.column));
    LocalIndex low = first, high = first + rows.rows();
    LocalIndex first_column = std::numeric_limits<LocalIndex>::max(), last_column = 0;
    for (const LocalIndex c : rows.column) {
      first_column = std::min(first_column, c);
      last_column = std::max(last_column, c);
    }
    if (!rows.column.empty()) {
      low = first_column;
      high = last_column + 1;
    }
    chunk_.reach_begin = low;
    chunk_.reach_end = high;
    narrow_ = !rows.column.empty() && last_column - first_column <= 0xffff;
    chunk_.base = narrow_ ? first_column : 0;
    width_ = updatable ? ValueWidth::full : palette && palette->usable() ? ValueWidth::palette : single_or_full();
  }

  PackedChunk csr() const {
    PackedChunk c = chunk_;
    c.form = StorageForm::csr;
    c.base = 0;
    c.columns = c.values = chunk_.entries;
    return c;
  }

  PackedChunk sell() {
    PackedChunk c = chunk_;
    order_ = slice_order(rows_, c.permuted);
    c.form = StorageForm::sell;
    set_widths(c, width_);
    c.groups = static_cast<std::uint32_t>((order_.size() + lanes - 1) / lanes);
    std::size_t places = 0;
    for (std::uint32_t s = 0; s < c.groups; ++s) places += slice_width(s) * lanes;
    c.columns = c.values = narrow<std::uint32_t>(static_cast<Offset>(places));
    return c;
  }

  PackedChunk block(const std::vector<std::uint8_t>& groups) const {
    PackedChunk c = chunk_;
    c.form = StorageForm::block;
    set_widths(c, width_ == ValueWidth::palette ? single_or_full() : width_);
    c.groups = static_cast<std::uint32_t>(groups.size());
    LocalIndex r = 0;
    for (const std::uint8_t n : groups) {
      c.columns += static_cast<std::uint32_t>(rows_.length(r));
      r += n;
    }
    c.values = chunk_.entries;
    return c;
  }

  PackedChunk stencil(std::uint32_t runs) const {
    PackedChunk c = chunk_;
    c.form = StorageForm::stencil;
    c.groups = runs;
    return c;
  }

  Offset slice_width(std::uint32_t s) const {
    Offset width = 0;
    for (std::size_t i = s * lanes; i < std::min<std::size_t>(order_.size(), (s + 1) * lanes); ++i)
      width = std::max(width, rows_.length(order_[i]));
    return width;
  }
  const std::vector<std::uint16_t>& order() const { return order_; }

 private:
  ValueWidth single_or_full() const {
    return std::ranges::all_of(rows_.value, fits_single<T>) && !rows_.value.empty() ? ValueWidth::single
                                                                                    : ValueWidth::full;
  }
  void set_widths(PackedChunk& c, ValueWidth values) const {
    c.column_width = narrow_ ? ColumnWidth::narrow : ColumnWidth::wide;
    c.value_width = values;
  }

  const ChunkRows<T>& rows_;
  PackedChunk chunk_;
  bool narrow_ = false;
  ValueWidth width_ = ValueWidth::full;
  std::vector<std::uint16_t> order_;
};

/// Writes the chunk that a plan decided on into its bytes.
template <class T>
class ChunkWriter {
 public:
  ChunkWriter(const ChunkRows<T>& rows, const PackedChunk& chunk, const Palette<T>& palette, std::byte* data)
      : rows_(rows), chunk_(chunk), layout_(chunk, sizeof(T)), palette_(palette), data_(data) {
    std::fill_n(data, layout_.bytes, std::byte{0});
  }

  void csr() {
    for (LocalIndex r = 0; r <= rows_.rows(); ++r)
      put(layout_.row_begin, r, static_cast<std::uint32_t>(rows_.begin[r]));
    for (std::size_t e = 0; e < rows_.column.size(); ++e) put_entry(e, e, e);
  }

  void sell(const ChunkPlan<T>& plan) {
    std::size_t at = 0;
    const auto& order = plan.order();
    for (std::uint32_t s = 0; s < chunk_.groups; ++s) {
      const auto width = static_cast<std::size_t>(plan.slice_width(s));
      put(layout_.width, s, static_cast<std::uint16_t>(width));
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::size_t i = s * lanes + lane;
        const bool real = i < order.size();
        if (chunk_.permuted)
          put(layout_.row, i, real ? order[i] : static_cast<std::uint16_t>(chunk_.rows)); // beyond: nobody's row
        // Padding repeats the last column of its row, so that it reads nothing which the row does not read.
        const LocalIndex r = real ? order[i] : order.back();
        const auto length = static_cast<std::size_t>(rows_.length(r));
        const auto first = static_cast<std::size_t>(rows_.begin[r]);
        for (std::size_t k = 0; k < width; ++k) {
          const std::size_t place = at + k * lanes + lane;
          if (length > 0) put_column(place, rows_.column[first + std::min(k, length - 1)]);
          put_value(place, real && k < length ? rows_.value[first + k] : T{0});
        }
      }
      at += width * lanes;
    }
  }

  void block(const std::vector<std::uint8_t>& groups) {
    std::size_t column = 0, value = 0;
    LocalIndex r = 0;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const Offset width = rows_.length(r);
      put(layout_.width, g, static_cast<std::uint16_t>(width));
      put(layout_.group_rows, g, groups[g]);
      for (Offset k = 0; k < width; ++k) {
        put_column(column++, rows_.column[rows_.begin[r] + k]);
        for (LocalIndex i = 0; i < groups[g]; ++i) put_value(value++, rows_.value[rows_.begin[r + i] + k]);
      }
      r += groups[g];
    }
  }

  void stencil(const std::vector<StencilRun>& runs) {
    for (std::size_t i = 0; i < runs.size(); ++i) put(layout_.run, i, runs[i]);
  }

 private:
  template <class U>
  void put(Offset part, std::size_t i, U value) {
    std::memcpy(data_ + part + i * sizeof(U), &value, sizeof(U));
  }
  void put_column(std::size_t place, LocalIndex column) {
    if (chunk_.column_width == ColumnWidth::narrow)
      put(layout_.columns, place, static_cast<std::uint16_t>(column - chunk_.base));
    else
      put(layout_.columns, place, column);
  }
  void put_value(std::size_t place, T value) {
    if (chunk_.value_width == ValueWidth::full)
      put(layout_.values, place, value);
    else if (chunk_.value_width == ValueWidth::single)
      put(layout_.values, place, static_cast<float>(value));
    else
      put(layout_.values, place, palette_.code(value));
  }
  void put_entry(std::size_t place, std::size_t column, std::size_t value) {
    put_column(place, rows_.column[column]);
    put_value(place, rows_.value[value]);
  }

  const ChunkRows<T>& rows_;
  const PackedChunk& chunk_;
  PackedLayout layout_;
  const Palette<T>& palette_;
  std::byte* data_;
};

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

template <class T>
Offset bytes_of(const PackedChunk& chunk) {
  return PackedLayout(chunk, sizeof(T)).bytes;
}

/// A width of 65535 entries is the most that slices, groups and patterns can say.
template <class T>
bool narrow_rows(const ChunkRows<T>& rows) {
  for (LocalIndex r = 0; r < rows.rows(); ++r)
    if (rows.length(r) > 0xffff) return false;
  return true;
}

/// Which form: the fewest bytes. Slices run fastest over irregular rows, so a narrower form must save a tenth.
template <class T>
PackedChunk choose(ChunkPlan<T>& plan, const ChunkRows<T>& rows, PatternBook<T>& book,
                   const std::vector<std::uint8_t>& groups, std::vector<StencilRun>& runs, StorageWish wish,
                   bool updatable) {
  if (wish == StorageWish::csr || !narrow_rows(rows)) return plan.csr();
  const PackedChunk sell = plan.sell(), block = plan.block(groups);
  if (wish == StorageWish::block) return block;
  if (wish == StorageWish::sell) return sell;
  const Offset least = std::min(bytes_of<T>(sell), bytes_of<T>(block) * 11 / 10);
  if (!updatable) {
    runs = book.runs(rows, sell.first, groups);
    const PackedChunk stencil = plan.stencil(static_cast<std::uint32_t>(runs.size()));
    if (wish == StorageWish::stencil || bytes_of<T>(stencil) + static_cast<Offset>(book.bytes_added()) < least)
      return stencil;
    book.forget();
    runs.clear();
  }
  return least == bytes_of<T>(sell) ? sell : block;
}

} // namespace

template <class T>
void PackedBuild::run(PackedMatrix<T>& a, const ExecutorPtr& executor, const ChunkReader<T>& read, StorageWish wish) {
  ChunkRows<T> rows;
  const auto for_chunks = [&](const auto& body) {
    std::size_t c = 0;
    for (LocalIndex first = 0; first < a.rows_; first += PackedMatrix<T>::chunk_rows, ++c) {
      read(first, std::min(PackedMatrix<T>::chunk_rows, a.rows_ - first), rows);
      if (!body(c, first)) return;
    }
  };

  Palette<T> palette;
  const T zero[] = {T{0}};
  palette.add(zero); // for padding
  const bool wants_palette = !a.updatable_ && wish != StorageWish::csr;
  if (wants_palette)
    for_chunks([&](std::size_t, LocalIndex) {
      palette.add(rows.value);
      return palette.usable();
    });
  const Palette<T>* const usable = wants_palette && palette.usable() ? &palette : nullptr;

  // Decide; runs are kept, for they are few where they are chosen.
  PatternBook<T> book;
  std::vector<std::vector<StencilRun>> runs;
  Offset bytes = 0;
  bool palette_used = false;
  for_chunks([&](std::size_t, LocalIndex first) {
    ChunkPlan<T> plan(rows, first, usable, a.updatable_);
    runs.emplace_back();
    PackedChunk chunk = choose(plan, rows, book, group_rows(rows), runs.back(), wish, a.updatable_);
    chunk.data = bytes;
    bytes += (bytes_of<T>(chunk) + 63) / 64 * 64;
    a.entries_ += chunk.entries;
    palette_used = palette_used || (chunk.value_width == ValueWidth::palette && chunk.form == StorageForm::sell);
    a.chunks_.push_back(chunk);
    return true;
  });

  a.data_ = Array<std::byte>(executor, bytes);
  const std::span<std::byte> data = a.data_.host();
  for_chunks([&](std::size_t c, LocalIndex first) {
    const PackedChunk& chunk = a.chunks_[c];
    ChunkWriter<T> writer(rows, chunk, palette, data.data() + chunk.data);
    switch (chunk.form) {
    case StorageForm::csr:
      writer.csr();
      break;
    case StorageForm::sell: {
      ChunkPlan<T> plan(rows, first, usable, a.updatable_);
      plan.sell();
      writer.sell(plan);
      break;
    }
    case StorageForm::stencil:
      writer.stencil(runs[c]);
      break;
    case StorageForm::block:
      writer.block(group_rows(rows));
      break;
    }
    return true;
  });
  a.pattern_ = std::move(book.pattern);
  a.pattern_offset_ = std::move(book.offset);
  // Behind the last value is room for one load of 4 that starts there.
  book.value.resize(book.value.empty() ? 0 : book.value.size() + 3);
  a.pattern_value_ = std::move(book.value);
  if (palette_used) {
    a.palette_ = palette.values();
    a.few_ = palette.few();
  }
  a.pattern_.shrink_to_fit();
  a.pattern_offset_.shrink_to_fit();
  a.pattern_value_.shrink_to_fit();
}

template <class T>
PackedMatrix<T>::PackedMatrix(const ExecutorPtr& executor, LocalIndex rows, LocalIndex columns,
                              const ChunkReader<T>& read, StorageWish wish, bool updatable)
    : rows_(rows), columns_(columns), updatable_(updatable) {
  PackedBuild::run(*this, executor, read, wish);
}

template PackedMatrix<float>::PackedMatrix(const ExecutorPtr&, LocalIndex, LocalIndex, const ChunkReader<float>&,
                                           StorageWish, bool);
template PackedMatrix<double>::PackedMatrix(const ExecutorPtr&, LocalIndex, LocalIndex, const ChunkReader<double>&,
                                            StorageWish, bool);

} // namespace atl
