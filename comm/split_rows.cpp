#include <atoll/comm/split_rows.hpp>
#include <atoll/core/release.hpp>

#include <algorithm>

namespace atl {

namespace {

/// Where in row r of the block the entries begin that go to the halo part.
template <class T>
Offset halo_part(const RowBlock<T>& block, const IndexMap& columns, bool whole_rows, LocalIndex r) {
  Offset e = block.offsets[r + 1];
  if (whole_rows) {
    const auto first = block.column.begin() + block.offsets[r], last = block.column.begin() + e;
    return std::all_of(first, last, [&](GlobalIndex c) { return columns.owns(c); }) ? e : block.offsets[r];
  }
  while (e > block.offsets[r] && !columns.owns(block.column[e - 1])) --e;
  return e;
}

/// The entries of ghost columns, or whole rows, in the rows that have some.
template <class T>
CsrMatrix<T> halo_rows(const ExecutorPtr& executor, const RowBlock<T>& block, const IndexMap& columns,
                       bool whole_rows) {
  std::vector<Offset> begin{0};
  std::vector<LocalIndex> column, row_index;
  std::vector<T> value;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    const Offset first = halo_part(block, columns, whole_rows, r), last = block.offsets[r + 1];
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
  halo.ascending = !whole_rows;
  halo.row_begin = Array<Offset>(executor, begin);
  halo.column = Array<LocalIndex>(executor, column);
  halo.value = Array<T>(executor, value);
  halo.row_index = Array<LocalIndex>(executor, row_index);
  return halo;
}

} // namespace

template <class T>
SplitMatrix<T> split_rows(const ExecutorPtr& executor, RowBlock<T>& block, const IndexMap& columns, StorageWish wish,
                          bool updatable, bool whole_rows) {
  SplitMatrix<T> split;
  split.halo = halo_rows(executor, block, columns, whole_rows);
  const ChunkReader<T> read = [&](LocalIndex first, LocalIndex count, ChunkRows<T>& rows) {
    rows.clear();
    for (LocalIndex r = first; r < first + count; ++r) {
      const Offset end = halo_part(block, columns, whole_rows, r);
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
  const bool whole_rows = !matrix.halo.ascending;
  const auto find = [whole_rows](auto first, auto last, LocalIndex column) {
    return (whole_rows ? std::find(first, last, column) : std::lower_bound(first, last, column)) - first;
  };
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
        if (column < columns.n_owned() && !(whole_rows && has_ghosts)) {
          position[e] = places[static_cast<std::size_t>(rows.begin[i] + find(first, last, column))];
        } else {
          const auto from = halo_column.begin() + halo_begin[h], to = halo_column.begin() + halo_begin[h + 1];
          position[e] = -1 - (halo_begin[h] + find(from, to, column));
        }
      }
      h += has_ghosts;
    }
  }
  return position;
}

#define ATOLL_SPLIT_ROWS(T)                                                                                          \
  template SplitMatrix<T> split_rows(const ExecutorPtr&, RowBlock<T>&, const IndexMap&, StorageWish, bool, bool);    \
  template std::vector<Offset> split_positions(const SplitMatrix<T>&, const IndexMap&, std::span<const Offset>,      \
                                               std::span<const GlobalIndex>);
ATOLL_SPLIT_ROWS(float)
ATOLL_SPLIT_ROWS(double)
#undef ATOLL_SPLIT_ROWS

} // namespace atl
