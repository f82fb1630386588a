#include <atoll/comm/agree.hpp>
#include <atoll/comm/index_map.hpp>

#include <algorithm>
#include <string>

namespace atl {
namespace {

void check_ghosts(std::span<const GlobalIndex> sorted, GlobalIndex size) {
  if (sorted.empty() || (sorted.front() >= 0 && sorted.back() < size)) return;
  const GlobalIndex wrong = sorted.front() < 0 ? sorted.front() : sorted.back();
  throw Error(ErrorKind::usage, "ghost index " + std::to_string(wrong) + " is outside 0 to " +
                                    std::to_string(size - 1) + ", the indices that ranks own");
}

} // namespace

std::shared_ptr<const IndexMap> IndexMap::create(CommunicatorPtr comm, GlobalIndex owned_count,
                                                 std::vector<GlobalIndex> ghosts) {
  std::shared_ptr<IndexMap> map(new IndexMap);
  map->owned_begin_ = comm->exclusive_sum(owned_count);
  map->global_size_ = comm->all_reduce(owned_count, ReduceOp::sum);

  const GlobalIndex begin = map->owned_begin_, end = begin + owned_count;
  agree(*comm, [&] {
    std::erase_if(ghosts, [&](GlobalIndex i) { return i >= begin && i < end; });
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    ghosts.shrink_to_fit();
    check_ghosts(ghosts, map->global_size_);
    map->n_owned_ = narrow<LocalIndex>(owned_count);
    narrow<LocalIndex>(owned_count + std::ssize(ghosts));
  });

  // Transient, length P: the first index of every rank.
  const std::vector<std::int64_t> begins = comm->all_gather(begin);
  for (const GlobalIndex ghost : ghosts) {
    // Of ranks that begin at the same index only the last can own it; the others are empty.
    const auto after = std::upper_bound(begins.begin(), begins.end(), ghost);
    const int owner = static_cast<int>(after - begins.begin()) - 1;
    if (map->ghost_owners_.empty() || map->ghost_owners_.back().rank != owner)
      map->ghost_owners_.push_back({owner, 0});
    ++map->ghost_owners_.back().count;
  }
  map->ghosts_ = std::move(ghosts);
  map->comm_ = std::move(comm);
  return map;
}

LocalIndex IndexMap::to_local(GlobalIndex i) const {
  if (owns(i)) return static_cast<LocalIndex>(i - owned_begin_);
  const auto place = std::lower_bound(ghosts_.begin(), ghosts_.end(), i);
  if (place == ghosts_.end() || *place != i) return -1;
  return n_owned_ + static_cast<LocalIndex>(place - ghosts_.begin());
}

} // namespace atl
