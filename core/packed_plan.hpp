#pragma once
/// What one chunk of a packed matrix would be in each form.

#include <atoll/core/packed_layout.hpp>
#include <atoll/core/packed_palette.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace atl::packing {

inline constexpr std::uint32_t most_group_rows = 4;
inline constexpr std::uint32_t lanes = PackedMatrix<double>::slice_rows;

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

} // namespace atl::packing
