#pragma once

#include <atoll/core/packed_matrix.hpp>

namespace atl {

/// A rank's rows in host memory, split by columns: entries among owned columns, packed; and the rest of the rows that
/// have ghosts. A product starts with the first part while a halo exchange is under way.
template <class T>
struct SplitMatrix {
  PackedMatrix<T> owned;              ///< columns 0 .. owned columns - 1
  CsrMatrix<T> halo;                  ///< rows that have ghosts, ascending in row_index; columns are local
  std::vector<LocalIndex> halo_begin; ///< rows halo_begin[c] .. halo_begin[c + 1] of `halo` are in chunk c of `owned`

  bool empty() const { return owned.rows() == 0; }
  Offset entries() const { return owned.entries() + halo.entries(); }
  std::size_t bytes() const { return owned.bytes() + halo.bytes() + halo_begin.capacity() * sizeof(LocalIndex); }
};

} // namespace atl
