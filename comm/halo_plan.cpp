#include <atoll/comm/halo_plan.hpp>
#include <atoll/comm/sparse_exchange.hpp>

namespace atl {

std::shared_ptr<const HaloPlan> HaloPlan::create(IndexMapPtr map) {
  std::shared_ptr<HaloPlan> plan(new HaloPlan);
  std::vector<PeerCount> owners;
  for (const auto& owner : map->ghost_owners()) {
    owners.push_back({owner.rank, owner.count});
    plan->receive_.push_back({owner.rank, owner.count});
  }

  // Ghosts are grouped by owner: each owner is told which of its indices are wished for.
  BulkExchange wishes(map->comm(), std::move(owners));
  const std::vector<GlobalIndex> wished = exchange(wishes, map->ghosts());
  for (const PeerCount& asker : wishes.sources())
    plan->send_.push_back({asker.rank, static_cast<LocalIndex>(asker.count)});
  plan->send_index_.reserve(wished.size());
  for (const GlobalIndex i : wished) plan->send_index_.push_back(static_cast<LocalIndex>(i - map->owned_begin()));

  plan->map_ = std::move(map);
  return plan;
}

} // namespace atl
