#pragma once

#include <atoll/partition/dgraph.hpp>

namespace atl {

/// A graph whose vertices are clusters of a finer graph's rows, and the cluster of each fine row.
struct CoarseLevel {
  DGraph graph;
  std::vector<LocalIndex> coarse_of; ///< of each owned fine row: a row of `graph` on the same rank
};

/// Merges rows into clusters of up to `cluster_size` rows and `max_weight` weight along their heaviest edges,
/// inside each rank. Rows whose neighbours are all taken join a neighbouring cluster, or pair up with another
/// such row that has the same heaviest neighbour (hubs), so that this goes on for graphs of any shape.
/// Weights of rows and of parallel edges are summed. Collective.
/// Source     Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998): heavy-edge matching; Meyerhenke, Sanders and
///            Schulz, SEA 2014: clusters of bounded size.
ATOLL_API CoarseLevel coarsen(const Context& context, const DGraph& fine, int cluster_size, std::int64_t max_weight);

} // namespace atl
