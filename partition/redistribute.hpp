#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

namespace atl {

/// Rows in global numbering, where each rank owns its part, with the way back to the original numbering.
template <class T>
struct Redistributed {
  RowBlock<T> rows;
  Numbering numbering;
};

/// Moves every row to rank owner[row] and renumbers rows and columns alike: one contiguous range a rank,
/// in ascending old order, so that a matrix's locality survives. `old` tells the original numbers of the block that
/// comes in. Columns of a row keep their order, so rows are no longer sorted by column. Square matrices.
/// Memory     the block is consumed: columns are renumbered in place and travel before values, so that the
///            peak lies near one block and a half. Where no row changes its rank, nothing is touched.
/// Ranks      collective. Errors: Error{usage} for an owner out of range or a matrix that is not square;
///            Error{limit} for a rank that would own more rows than a LocalIndex counts.
template <class T>
ATOLL_API Redistributed<T> redistribute(const Context& context, RowBlock<T>&& block, std::vector<int> owner,
                                        const Numbering& old);

} // namespace atl
