#pragma once
/// The bytes of one chunk of a packed matrix.

#include <atoll/core/packed_plan.hpp>

#include <cstring>

namespace atl::packing {

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

} // namespace atl::packing
