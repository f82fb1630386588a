#pragma once

#include <atoll/comm/row_block.hpp>

namespace atl::app {

/// Whether a matrix equals its transpose bit for bit, its stored places too. Two sums of 64-bit hashes over all entries
/// and all mirrored entries are compared, so no entry travels and no memory is needed; another matrix than a symmetric
/// one passes with probability 2^-128. Rows sorted, without duplicates. Collective.
bool is_exactly_symmetric(Communicator& comm, const RowBlock<double>& rows);

} // namespace atl::app
