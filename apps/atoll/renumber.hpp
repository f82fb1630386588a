#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

namespace atl::app {

/// Writes new_number[c - row_begin] in place of each column c, where this rank owns row and column c; the
/// numbers of other ranks' columns come by a halo exchange. Square matrices. Collective.
template <class T>
void renumber_columns(const Context& context, RowBlock<T>& rows, std::span<const GlobalIndex> new_number);

/// The matrix back in original numbering, in equal slabs (BlockRange). The block is consumed. Collective.
template <class T>
RowBlock<T> to_original_rows(const Context& context, RowBlock<T>&& rows, const Numbering& numbering);

/// Puts this rank's rows in ascending order of part, then of original number, and renumbers them.
/// Collective.
template <class T>
void order_by_part(const Context& context, RowBlock<T>& rows, Numbering& numbering, std::span<const int> part);

} // namespace atl::app
