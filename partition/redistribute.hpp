#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Rows in global numbering, where each rank owns its part, with the way back to the original numbering.
template <class T>
struct Redistributed {
  RowBlock<T> rows;
  Numbering numbering;
};

/// Moves every row to rank owner[row] and renumbers rows and columns alike: one contiguous range a rank,
/// interior rows first, each group in ascending old order. `old` tells the original numbers of the block that
/// comes in. The block is consumed; columns travel before values, in bounded rounds, so that peak memory
/// stays near one block and a half. Square matrices. Collective. A partition that moves nothing and changes
/// no number is recognised and costs no copy.
template <class T>
ATOLL_API Redistributed<T> redistribute(const Context& context, RowBlock<T>&& block,
                                        std::span<const int> owner, const Numbering& old);

} // namespace atl
