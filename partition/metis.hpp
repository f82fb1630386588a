#pragma once

#include <atoll/core/types.hpp>

#include <span>
#include <vector>

namespace atl {

/// A small graph in one process, symmetric and without loops, in METIS's integers.
struct SerialGraph {
  std::vector<std::int32_t> offsets{0}, neighbour, edge_weight, weight;

  int n() const { return static_cast<int>(weight.size()); }
};

/// A part for each vertex, by METIS: k-way, or recursive bisection where that is asked for, for at most 8
/// parts, and below 50 vertices a part (k-way leaves parts empty and torn there). METIS is never called for
/// one part, for no more vertices than parts, or without edges. Its answer is checked: every part is in
/// 0 .. parts-1; parts may be empty. One call at a time in a process: METIS keeps global state.
/// Errors     Error{environment} for memory; Error{internal} for any other failure of METIS.
/// Source     Karypis and Kumar, SIAM J. Sci. Comput. 20 (1998).
ATOLL_API std::vector<int> metis_parts(const SerialGraph& graph, int parts, double imbalance, std::uint64_t seed,
                                       bool recursive);

} // namespace atl
