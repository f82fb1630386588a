#pragma once

#include <atoll/comm/context.hpp>

#include <vector>

namespace atl {

/// This rank's contiguous rows of a distributed sparse matrix, columns global: the one interchange type. Readers
/// give it, the partitioner cuts it, plug-ins and other languages speak it. Lives in host memory.
/// Shapes     n_rows x n_cols overall; rows [row_begin, row_begin + rows()) here; the ranges of the ranks follow
///            one another by rank and cover 0 .. n_rows; a rank may have none.
/// Invariant  offsets has rows() + 1 ascending entries from 0; column and value one an entry. After sort_rows()
///            columns are ascending within each row, without duplicates.
template <class T>
struct RowBlock {
  GlobalIndex n_rows = 0;
  GlobalIndex n_cols = 0;
  GlobalIndex row_begin = 0;
  std::vector<Offset> offsets{0};
  std::vector<GlobalIndex> column;
  std::vector<T> value;

  LocalIndex rows() const { return static_cast<LocalIndex>(offsets.size() - 1); }
  GlobalIndex row_end() const { return row_begin + rows(); }
  Offset entries() const { return static_cast<Offset>(column.size()); }
};

/// Sorts every row by column and sums duplicates. Local.
template <class T>
ATOLL_API void sort_rows(RowBlock<T>& block);

/// Throws, the same on all ranks, unless offsets, ranges and columns are as RowBlock promises. Collective.
template <class T>
ATOLL_API void validate(Communicator& comm, const RowBlock<T>& block);

/// One entry of a matrix by global indices.
template <class T>
struct Triplet {
  GlobalIndex row;
  GlobalIndex column;
  T value;
};

/// Rows from triplets in any order on any rank: each entry travels to the owner of its row, duplicates are summed.
/// `row_count` rows are owned by this rank (ranges by rank). Collective. Errors: Error{bad_input} for an index
/// outside the matrix, naming it.
template <class T>
ATOLL_API RowBlock<T> assemble(const Context& context, GlobalIndex n_rows, GlobalIndex n_cols, LocalIndex row_count,
                               std::vector<Triplet<T>>&& triplets);

} // namespace atl
