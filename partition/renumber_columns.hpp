#pragma once

#include <atoll/comm/halo_plan.hpp>
#include <atoll/comm/row_block.hpp>

namespace atl {

/// Other ranks' rows among the columns, each once, ascending.
template <class T>
std::vector<GlobalIndex> list_ghosts(const RowBlock<T>& block);

/// Columns to their new numbers, in place. `halo` is the plan of the block's ghosts; new_number is that of each owned
/// row. Collective.
template <class T>
void renumber_columns(RowBlock<T>& block, const HaloPlanPtr& halo, std::span<const GlobalIndex> new_number);

} // namespace atl
