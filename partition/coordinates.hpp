#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Recursive coordinate bisection (Berger and Bokhari, IEEE Trans. Comput. C-36, 1987). A box of k parts is
/// halved across its longest extent into floor(k/2) and ceil(k/2) parts with weights to match; where extents
/// are equal, across the last coordinate, so that a naturally numbered grid gives contiguous slabs. Rows of
/// equal coordinate are told apart by their number, so that grids balance exactly. All boxes of a level are
/// cut together. Collective; the same on any number of ranks.
/// Errors     Error{usage} for coordinates of the wrong length or not finite.
ATOLL_API std::vector<int> partition_coordinates(const Context& context, const DGraph& graph, int parts,
                                                 const Coordinates& coordinates);

} // namespace atl
