#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Contiguous blocks of rows with nearly equal weights, none empty while rows >= parts; for rows of equal
/// weight those of BlockRange. With fewer rows than parts, one row a part. Collective; the same on any
/// number of ranks.
ATOLL_API std::vector<int> partition_blocks(const Context& context, const DGraph& graph, int parts);

} // namespace atl
