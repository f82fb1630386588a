#pragma once

#include <atoll/core/array.hpp>

namespace atl {

/// What a kernel sees of a local matrix in compressed sparse rows.
/// Storage row s holds entries row_begin[s] .. row_begin[s+1]; it is local row `row_index ? row_index[s] : s`.
template <class T>
struct CsrView {
  LocalIndex rows = 0;
  LocalIndex columns = 0;
  const Offset* row_begin = nullptr;
  const LocalIndex* column = nullptr;
  const T* value = nullptr;
  const LocalIndex* row_index = nullptr;
  bool ascending = true; ///< whether columns ascend within each row
};

/// Local sparse matrix in compressed sparse rows, in one executor's memory.
/// Columns are local (owned, then ghosts), ascending within a row unless `ascending` says otherwise, without
/// duplicates.
/// Storage rows may be ordered otherwise than local rows (interior first); row_index tells.
template <class T>
struct CsrMatrix {
  LocalIndex rows = 0;
  LocalIndex columns = 0;
  Array<Offset> row_begin;     ///< rows + 1
  Array<LocalIndex> column;    ///< one an entry
  Array<T> value;              ///< one an entry
  Array<LocalIndex> row_index; ///< rows, or empty where storage order is local order
  bool ascending = true;

  Offset entries() const { return column.size(); }
  std::size_t bytes() const { return row_begin.bytes() + column.bytes() + value.bytes() + row_index.bytes(); }
  CsrView<T> view() const {
    return {rows,          columns,      row_begin.data(),
            column.data(), value.data(), row_index.empty() ? nullptr : row_index.data(),
            ascending};
  }
};

} // namespace atl
