#pragma once

#include <atoll/partition/dgraph.hpp>

#include <optional>

namespace atl {

/// What a part weighs at best where a row may be heavier than that: the smallest whole c with
/// sum_i min(w_i, c) <= parts * c, of more rows than parts. A row above it fills a part by itself, and the other rows have the other
/// parts to themselves. At least 1; the plain average, rounded up, where no row is above it. Collective.
ATOLL_API std::int64_t fair_weight(Communicator& comm, const DGraph& graph, int parts);

/// The graph with all weights cut down to `fair_weight`, so that partitioners, which aim at equal sums, leave a
/// heavy row alone and spread the rest; nothing where no row is so heavy. A copy: 4 bytes an edge. Collective.
ATOLL_API std::optional<DGraph> cut_heavy_rows(Communicator& comm, const DGraph& graph, std::int64_t fair_weight);

} // namespace atl
