#pragma once

#include <atoll/comm/index_map.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/core/split_matrix.hpp>

namespace atl {

/// The rows of a block as a split matrix. In each row owned columns stand first, then ghosts; or, with whole_rows, all
/// in any order: then a row that has ghosts is kept in `halo` as a whole, so that its sum keeps the order. Local; the
/// block is consumed.
template <class T>
SplitMatrix<T> split_rows(const ExecutorPtr& executor, RowBlock<T>& block, const IndexMap& columns, StorageWish wish,
                          bool updatable, bool whole_rows);

/// Where each of the caller's entries is kept: a place in the values of `owned`, or -1 - a place in those of `halo`.
template <class T>
std::vector<Offset> split_positions(const SplitMatrix<T>& matrix, const IndexMap& columns,
                                    std::span<const Offset> offsets, std::span<const GlobalIndex> caller_columns);

} // namespace atl
