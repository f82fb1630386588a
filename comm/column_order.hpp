#pragma once

#include <atoll/comm/halo_plan.hpp>
#include <atoll/comm/row_block.hpp>

namespace atl {

/// Sorts the entries of every row by a number that belongs to their column, told by its owner for the columns it owns.
/// Collective over neighbours. Errors: Error{usage} where the numbers are not one for each owned column.
template <class T>
void order_columns(const Context& context, RowBlock<T>& block, const HaloPlanPtr& plan,
                   std::span<const GlobalIndex> number);

} // namespace atl
