#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Multilevel partition around METIS: rows are merged inside each rank until few vertices are left (at most
/// max(65536, 64 * parts), and 4 million edges), those are gathered on rank 0 and cut there, and the parts
/// are sent back, projected, and refined by all ranks level by level. No rank ever holds more of other ranks'
/// rows than that coarse graph. Collective. Adds what was done to `why`.
/// Errors     Error{limit} where the coarse graph cannot be made small enough for METIS.
ATOLL_API std::vector<int> partition_multilevel(const Context& context, const DGraph& graph, int parts,
                                                const PartitionOptions& options, std::string& why);

/// Vertices that may be gathered on one rank.
ATOLL_API std::int64_t gather_limit(int parts);

} // namespace atl
