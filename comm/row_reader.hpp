#pragma once

#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/core/host_view.hpp>

namespace atl {

/// Reads a rank's rows, however they are stored, a chunk at a time and in local order, for set-up work on the host.
/// Columns are local: owned, then ghosts. Local. The matrix must outlive it.
template <class T>
class ATOLL_API RowReader {
 public:
  explicit RowReader(const DSparseMatrix<T>& a);

  LocalIndex n_chunks() const;
  LocalIndex first(LocalIndex chunk) const { return chunk * PackedMatrix<T>::chunk_rows; } ///< its first local row
  /// Valid until the next call.
  const ChunkRows<T>& read(LocalIndex chunk);

  /// body(local row, columns, values) for all rows.
  template <class Body>
  void for_rows(const Body& body) {
    for (LocalIndex c = 0; c < n_chunks(); ++c) {
      const ChunkRows<T>& rows = read(c);
      for (LocalIndex r = 0; r < rows.rows(); ++r)
        body(first(c) + r, std::span(rows.column).subspan(rows.begin[r], rows.length(r)),
             std::span(rows.value).subspan(rows.begin[r], rows.length(r)));
    }
  }

 private:
  void read_split(LocalIndex chunk);
  void read_plain(LocalIndex chunk);

  const DSparseMatrix<T>& a_;
  HostView<Offset> begin_; ///< of the plain matrix, or of the rows that have ghosts
  HostView<LocalIndex> column_, row_index_;
  HostView<T> value_;
  ChunkRows<T> rows_, owned_;
};

extern template class RowReader<float>;
extern template class RowReader<double>;

} // namespace atl
