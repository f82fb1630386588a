#pragma once

#include <atoll/core/packed_matrix.hpp>

#include <algorithm>

namespace atl {

/// A rank's rows in host memory, split by columns: entries among owned columns, packed; and the rest of the rows that
/// have ghosts. A product starts with the first part while a halo exchange is under way.
template <class T>
struct SplitMatrix {
  PackedMatrix<T> owned;              ///< columns 0 .. owned columns - 1
  CsrMatrix<T> halo;                  ///< rows that have ghosts, ascending in row_index; columns are local
  std::vector<LocalIndex> halo_begin; ///< rows halo_begin[c] .. halo_begin[c + 1] of `halo` are in chunk c of `owned`

  /// The chunks of `owned`, their reach widened by the owned columns of their rows in `halo`.
  std::vector<PackedChunk> chunks_with_halo() const {
    std::vector<PackedChunk> chunks(owned.chunks().begin(), owned.chunks().end());
    const CsrView<T> rows = halo.view();
    for (std::size_t c = 0; c < chunks.size(); ++c)
      for (Offset e = rows.row_begin[halo_begin[c]]; e < rows.row_begin[halo_begin[c + 1]]; ++e) {
        if (rows.column[e] >= owned.columns()) continue;
        chunks[c].reach_begin = std::min(chunks[c].reach_begin, rows.column[e]);
        chunks[c].reach_end = std::max(chunks[c].reach_end, rows.column[e] + 1);
      }
    return chunks;
  }
  bool empty() const { return owned.rows() == 0; }
  Offset entries() const { return owned.entries() + halo.entries(); }
  std::size_t bytes() const { return owned.bytes() + halo.bytes() + halo_begin.capacity() * sizeof(LocalIndex); }
};

} // namespace atl
