#include <atoll/comm/split_rows.hpp>
#include <atoll/core/release.hpp>

#include <algorithm>

namespace atl {

namespace {

/// Where the ghosts of row r begin in the block.
template <class T>
Offset ghosts_begin(const RowBlock<T>& block, const IndexMap& columns, LocalIndex r) {
  Offset e = block.offsets[r + 1];
  while (e > block.offsets[r] && !columns.owns(block.column[e - 1])) --e;
  return e;
}

/// The entries of ghost columns, in the rows that have some.
template <class T>
CsrMatrix<T> halo_rows(const ExecutorPtr& executor, const RowBlock<T>& block, const IndexMap& columns) {
  std::vector<Offset> begin{0};
  std::vector<LocalIndex> column, row_index;
  std::vector<T> value;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    const Offset first = ghosts_begin(block, columns, r), last = block.offsets[r + 1];
    if (first == last) continue;
    for (Offset e = first; e < last; ++e) {
      column.push_back(columns.to_local(block.column[e]));
      value.push_back(block.value[e]);
    }
    begin.push_back(std::ssize(column));
    row_index.push_back(r);
  }
  CsrMatrix<T> halo;
  halo.rows = static_cast<LocalIndex>(row_index.size());
  halo.columns = columns.n_local();
  halo.row_begin = Array<Offset>(executor, begin);
  halo.column = Array<LocalIndex>(executor, column);
  halo.value = Array<T>(executor, value);
  halo.row_index = Array<LocalIndex>(executor, row_index);
  return halo;
}

} // namespace

template <class T>
SplitMatrix<T> split_rows(const ExecutorPtr& executor, RowBlock<T>& block, const IndexMap& columns, StorageWish wish,
                          bool updatable) {
  SplitMatrix<T> split;
  split.halo = halo_rows(executor, block, columns);
  const ChunkReader<T> read = [&](LocalIndex first, LocalIndex count, ChunkRows<T>& rows) {
    rows.clear();
    for (LocalIndex r = first; r < first + count; ++r) {
      const Offset end = ghosts_begin(block, columns, r);
      for (Offset e = block.offsets[r]; e < end; ++e) {
        rows.column.push_back(static_cast<LocalIndex>(block.column[e] - columns.owned_begin()));
        rows.value.push_back(block.value[e]);
      }
      rows.begin.push_back(std::ssize(rows.column));
    }
  };
  split.owned = PackedMatrix<T>(executor, block.rows(), columns.n_owned(), read, wish, updatable);
  const auto halo_row = split.halo.row_index.host();
  for (const PackedChunk& chunk : split.owned.chunks())
    split.halo_begin.push_back(
        static_cast<LocalIndex>(std::ranges::lower_bound(halo_row, chunk.first) - halo_row.begin()));
  split.halo_begin.push_back(split.halo.rows);
  release(block.column);
  release(block.value);
  release(block.offsets);
  return split;
}

template <class T>
std::vector<Offset> split_positions(const SplitMatrix<T>& matrix, const IndexMap& columns,
                                    std::span<const Offset> offsets, std::span<const GlobalIndex> caller_columns) {
  std::vector<Offset> position(caller_columns.size()), places;
  ChunkRows<T> rows;
  const auto halo_begin = matrix.halo.row_begin.host();
  const auto halo_column = matrix.halo.column.host();
  for (std::size_t c = 0; c < matrix.owned.chunks().size(); ++c) {
    matrix.owned.unpack(c, rows);
    matrix.owned.places(c, places);
    LocalIndex h = matrix.halo_begin[c];
    for (LocalIndex i = 0; i < rows.rows(); ++i) {
      const LocalIndex r = matrix.owned.chunks()[c].first + i;
      const auto first = rows.column.begin() + rows.begin[i], last = rows.column.begin() + rows.begin[i + 1];
      const bool has_ghosts = h < matrix.halo_begin[c + 1] && matrix.halo.row_index.host()[h] == r;
      for (Offset e = offsets[r]; e < offsets[r + 1]; ++e) {
        const LocalIndex column = columns.to_local(caller_columns[e]);
        if (column < columns.n_owned()) {
          position[e] = places[std::lower_bound(first, last, column) - rows.column.begin()];
        } else {
          const auto from = halo_column.begin() + halo_begin[h], to = halo_column.begin() + halo_begin[h + 1];
          position[e] = -1 - (std::lower_bound(from, to, column) - halo_column.begin());
        }
      }
      h += has_ghosts;
    }
  }
  return position;
}

#define ATOLL_SPLIT_ROWS(T)                                                                                          \
  template SplitMatrix<T> split_rows(const ExecutorPtr&, RowBlock<T>&, const IndexMap&, StorageWish, bool);          \
  template std::vector<Offset> split_positions(const SplitMatrix<T>&, const IndexMap&, std::span<const Offset>,      \
                                               std::span<const GlobalIndex>);
ATOLL_SPLIT_ROWS(float)
ATOLL_SPLIT_ROWS(double)
#undef ATOLL_SPLIT_ROWS

} // namespace atl
