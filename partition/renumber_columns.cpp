#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/renumber_columns.hpp>

#include <algorithm>

namespace atl {

template <class T>
std::vector<GlobalIndex> list_ghosts(const RowBlock<T>& block) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<GlobalIndex> ghosts;
  std::size_t sorted = 0;
  const auto tidy = [&] {
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    sorted = ghosts.size();
  };
  for (const GlobalIndex column : block.column) {
    if (column >= block.row_begin && column < block.row_end()) continue;
    ghosts.push_back(column);
    if (ghosts.size() > 2 * sorted + step) tidy();
  }
  tidy();
  return ghosts;
}

template <class T>
void renumber_columns(RowBlock<T>& block, const HaloPlanPtr& halo, std::span<const GlobalIndex> new_number) {
  GhostValues<GlobalIndex> numbers(halo);
  const auto ghost_number = numbers.exchange([&](LocalIndex i) { return new_number[i]; });
  const IndexMap& map = *halo->map();
  for (GlobalIndex& column : block.column) {
    const GlobalIndex j = column - block.row_begin;
    column = j >= 0 && j < block.rows() ? new_number[j] : ghost_number[map.to_local(column) - block.rows()];
  }
}

#define ATOLL_RENUMBER(T)                                                                                            \
  template std::vector<GlobalIndex> list_ghosts(const RowBlock<T>&);                                                 \
  template void renumber_columns(RowBlock<T>&, const HaloPlanPtr&, std::span<const GlobalIndex>);
ATOLL_RENUMBER(float)
ATOLL_RENUMBER(double)
#undef ATOLL_RENUMBER

} // namespace atl
