#pragma once
/// Where the parts of a packed chunk stand in its bytes.

#include <atoll/core/packed_matrix.hpp>

namespace atl {

/// Byte offsets from the start of a chunk. Each part begins on 16 bytes; behind the values is room for one load
/// of 4 that starts at the last of them.
struct PackedLayout {
  Offset row_begin = 0, width = 0, row = 0, group_rows = 0, run = 0, columns = 0, values = 0, bytes = 0;

  PackedLayout(const PackedChunk& chunk, std::size_t scalar) {
    const auto part = [this](Offset count, std::size_t size) {
      const Offset begin = bytes;
      bytes += (count * static_cast<Offset>(size) + 15) / 16 * 16;
      return begin;
    };
    const Offset groups = chunk.groups;
    switch (chunk.form) {
    case StorageForm::csr:
      row_begin = part(Offset{chunk.rows} + 1, sizeof(std::uint32_t));
      break;
    case StorageForm::sell:
      width = part(groups, sizeof(std::uint16_t));
      if (chunk.permuted) row = part(groups * 8, sizeof(std::uint16_t));
      break;
    case StorageForm::stencil:
      run = part(groups, sizeof(StencilRun));
      return;
    case StorageForm::block:
      width = part(groups, sizeof(std::uint16_t));
      group_rows = part(groups, sizeof(std::uint8_t));
      break;
    }
    columns = part(chunk.columns, chunk.column_width == ColumnWidth::narrow ? 2 : 4);
    const Offset room = chunk.form == StorageForm::block ? 3 : 0;
    values = part(chunk.values + room, chunk.value_width == ValueWidth::full     ? scalar
                                       : chunk.value_width == ValueWidth::single ? sizeof(float)
                                                                                 : 1);
  }
};

} // namespace atl
