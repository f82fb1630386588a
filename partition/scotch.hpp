#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// A part for each row by PT-Scotch on all ranks of the communicator, nothing gathered; by serial Scotch
/// where there is one rank, with or without MPI. The same seed gives the same cut. Collective.
/// Errors     Error{environment}: several ranks without MPI between them, or another integer width of the
///            library than its header's. Error{limit}: more rows or edges than a SCOTCH_Num counts.
/// Source     Chevalier and Pellegrini, Parallel Comput. 34 (2008).
ATOLL_API std::vector<int> partition_scotch(const Context& context, const DGraph& graph, int parts,
                                            const PartitionOptions& options);

/// Whether partition_scotch can run here. Collective answers are equal since communicators are of one kind.
ATOLL_API bool scotch_can_run(const Communicator& comm);

} // namespace atl
