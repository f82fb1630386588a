#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Contiguous blocks of rows with nearly equal weights, none empty while rows >= parts; for rows of equal
/// weight those of BlockRange. The heaviest block is within 1/32 of the bound max(heaviest row, average), or as
/// light as contiguous blocks allow. Source for the search: Pinar and Aykanat, J. Parallel Distrib. Comput. 64
/// (2004). With fewer rows than parts, one row a part. Collective; the same on any number of ranks.
ATOLL_API std::vector<int> partition_blocks(const Context& context, const DGraph& graph, int parts);

} // namespace atl
