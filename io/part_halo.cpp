#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/io/part_halo.hpp>

#include <algorithm>
#include <tuple>

namespace atl {
namespace {

/// Part `part` needs column `column` from part `owner`.
struct Need {
  std::int32_t part;
  std::int32_t owner;
  GlobalIndex column;
};

bool by_part(const Need& a, const Need& b) { return std::tie(a.part, a.column) < std::tie(b.part, b.column); }
bool by_owner(const Need& a, const Need& b) {
  return std::tie(a.owner, a.part, a.column) < std::tie(b.owner, b.part, b.column);
}
bool same(const Need& a, const Need& b) { return a.part == b.part && a.column == b.column; }

/// Distinct columns; sorts again only when the list has doubled, so that memory stays near what is distinct.
class DistinctColumns {
 public:
  void add(GlobalIndex column) {
    columns_.push_back(column);
    if (columns_.size() >= limit_) {
      const std::size_t distinct = sorted().size();
      limit_ = std::max<std::size_t>(1 << 16, 2 * distinct);
    }
  }
  std::vector<GlobalIndex>& sorted() {
    std::sort(columns_.begin(), columns_.end());
    columns_.erase(std::unique(columns_.begin(), columns_.end()), columns_.end());
    return columns_;
  }

 private:
  std::vector<GlobalIndex> columns_;
  std::size_t limit_ = 1 << 16;
};

/// What the rows of this rank need from other parts, by part and column.
std::vector<Need> needs_of_rows(GlobalIndex row_begin, std::span<const Offset> offsets,
                                std::span<const GlobalIndex> columns, std::span<const GlobalIndex> row_ranges,
                                std::span<const GlobalIndex> column_ranges) {
  std::vector<Need> needs;
  const GlobalIndex row_end = row_begin + std::ssize(offsets) - 1;
  for (GlobalIndex row = row_begin; row < row_end;) {
    const int part = part_of(row_ranges, row);
    const GlobalIndex end = std::min(row_end, row_ranges[part + 1]);
    const GlobalIndex own_begin = column_ranges[part], own_end = column_ranges[part + 1];
    DistinctColumns outside;
    for (Offset k = offsets[row - row_begin]; k < offsets[end - row_begin]; ++k)
      if (columns[k] < own_begin || columns[k] >= own_end) outside.add(columns[k]);
    for (const GlobalIndex column : outside.sorted()) needs.push_back({part, part_of(column_ranges, column), column});
    row = end;
  }
  return needs;
}

/// Needs to the ranks that answer for a part; `target` names the part. They come sorted by it.
std::vector<Need> route(const Context& context, const BlockRange& parts, std::span<const Need> needs,
                        std::int32_t Need::*target) {
  std::vector<PeerCount> destinations;
  for (const Need& need : needs) {
    const int rank = parts.owner(need.*target);
    if (destinations.empty() || destinations.back().rank != rank) destinations.push_back({rank, 0});
    ++destinations.back().count;
  }
  BulkExchange plan(context.comm, std::move(destinations));
  return exchange<Need>(plan, needs);
}

/// Neighbours of one part from what it receives (by column, so by owner) and sends (by receiver).
void add_neighbours(PartHalo& halo, std::span<const Need> receives, std::span<const Need> sends) {
  std::size_t r = 0, s = 0;
  while (r < receives.size() || s < sends.size()) {
    const auto none = std::numeric_limits<std::int32_t>::max();
    const std::int32_t part =
        std::min(r < receives.size() ? receives[r].owner : none, s < sends.size() ? sends[s].part : none);
    const std::size_t r0 = r, s0 = s;
    while (r < receives.size() && receives[r].owner == part) ++r;
    while (s < sends.size() && sends[s].part == part) ++s;
    halo.neighbours.push_back(part);
    halo.receive_counts.push_back(static_cast<GlobalIndex>(r - r0));
    halo.send_counts.push_back(static_cast<GlobalIndex>(s - s0));
  }
  for (const Need& need : receives) halo.ghosts.push_back(need.column);
  for (const Need& need : sends) halo.send_index.push_back(need.column);
  halo.neighbour_offsets.push_back(std::ssize(halo.neighbours));
  halo.ghost_offsets.push_back(std::ssize(halo.ghosts));
  halo.send_offsets.push_back(std::ssize(halo.send_index));
}

} // namespace

std::vector<PlanArray> plan_arrays(Communicator& comm, PartHalo&& halo) {
  std::vector<PlanArray> arrays;
  const auto add = [&](const char* name, std::vector<std::int64_t>&& values) {
    const GlobalIndex first = comm.exclusive_sum(std::ssize(values));
    const GlobalIndex total = comm.all_reduce(std::ssize(values), ReduceOp::sum);
    arrays.push_back({name, first, total, std::move(values)});
  };
  // P + 1 offsets: each rank has those at which its parts begin, the last one also the end.
  const auto add_ranges = [&](const char* name, std::vector<Offset>&& offsets) {
    const std::int64_t before = comm.exclusive_sum(offsets.back());
    for (Offset& offset : offsets) offset += before;
    if (comm.rank() != comm.size() - 1) offsets.pop_back();
    add(name, std::move(offsets));
  };
  add_ranges("ghost_ranges", std::move(halo.ghost_offsets));
  add("ghosts", std::move(halo.ghosts));
  add_ranges("neighbour_ranges", std::move(halo.neighbour_offsets));
  add("neighbours", std::move(halo.neighbours));
  add("receive_counts", std::move(halo.receive_counts));
  add("send_counts", std::move(halo.send_counts));
  add_ranges("send_ranges", std::move(halo.send_offsets));
  add("send_index", std::move(halo.send_index));
  return arrays;
}

int part_of(std::span<const GlobalIndex> ranges, GlobalIndex i) {
  return static_cast<int>(std::upper_bound(ranges.begin(), ranges.end(), i) - ranges.begin()) - 1;
}

PartHalo find_part_halo(const Context& context, GlobalIndex row_begin, std::span<const Offset> offsets,
                        std::span<const GlobalIndex> columns, std::span<const GlobalIndex> row_ranges,
                        std::span<const GlobalIndex> column_ranges) {
  const BlockRange parts{std::ssize(row_ranges) - 1, context.size()};

  // Pieces of one part may come from several ranks.
  std::vector<Need> receives =
      route(context, parts, needs_of_rows(row_begin, offsets, columns, row_ranges, column_ranges), &Need::part);
  std::sort(receives.begin(), receives.end(), by_part);
  receives.erase(std::unique(receives.begin(), receives.end(), same), receives.end());

  std::vector<Need> sends = receives;
  std::sort(sends.begin(), sends.end(), by_owner);
  sends = route(context, parts, sends, &Need::owner);
  std::sort(sends.begin(), sends.end(), by_owner);

  PartHalo halo;
  halo.parts = parts;
  auto receive = receives.begin();
  auto send = sends.begin();
  for (GlobalIndex p = parts.begin(context.rank()); p < parts.begin(context.rank() + 1); ++p) {
    const auto receive_end = std::find_if(receive, receives.end(), [&](const Need& n) { return n.part != p; });
    const auto send_end = std::find_if(send, sends.end(), [&](const Need& n) { return n.owner != p; });
    add_neighbours(halo, {receive, receive_end}, {send, send_end});
    receive = receive_end;
    send = send_end;
  }
  return halo;
}

} // namespace atl
