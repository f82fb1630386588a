#pragma once

#include <atoll/partition/redistribute.hpp>

namespace atl {

/// Rows of each rank in an order that keeps neighbours near: reverse Cuthill-McKee, from a pseudo-peripheral row of each
/// connected piece. Used where it brings rows at least four times nearer to their columns than they are, so that an
/// order that is good already (a grid's) stays; elsewhere nothing is touched. Square matrices.
/// Memory     the block, a copy of its columns or values, and 28 bytes a row where rows move.
/// Ranks      collective; every rank decides for its own rows.
/// Source     Cuthill & McKee (1969); George & Liu, Computer Solution of Large Sparse Positive Definite Systems (1981).
template <class T>
ATOLL_API Redistributed<T> order_locally(const Context& context, RowBlock<T>&& block, Numbering&& numbering);

} // namespace atl
