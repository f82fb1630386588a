#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// What each part holds, over all ranks; of length `parts`, for one step of set-up.
struct ATOLL_API PartLoads {
  std::vector<std::int64_t> weight, rows;
  std::int64_t total_weight = 0;

  std::int64_t heaviest() const;
};
/// part: of the owned rows (ghosts may follow). Collective.
ATOLL_API PartLoads measure_loads(Communicator& comm, const DGraph& graph, std::span<const int> part, int parts);

/// The most that a part may weigh: max(ceil(average), average * (1 + imbalance)), rounded down.
ATOLL_API std::int64_t weight_limit(std::int64_t total_weight, int parts, double imbalance);

/// Throws the same Error on all ranks unless part has an entry for each row, in 0 .. parts-1. Collective.
ATOLL_API void check_parts(Communicator& comm, const DGraph& graph, std::span<const int> part, int parts);

} // namespace atl
