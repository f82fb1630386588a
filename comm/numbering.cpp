#include <atoll/comm/numbering.hpp>
#include <atoll/comm/sparse_exchange.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace atl {
namespace {

/// This rank's owned rows grouped by the rank whose slab holds their original row.
struct SlabRoutes {
  BlockRange slabs;
  std::vector<LocalIndex> order;       ///< owned rows, grouped by slab holder
  std::vector<PeerCount> destinations; ///< slab holders, rows of each
};

SlabRoutes find_routes(const Context& context, const Numbering& numbering) {
  SlabRoutes routes;
  routes.slabs = {numbering.n, context.size()};
  routes.order.resize(static_cast<std::size_t>(numbering.owned_count));
  std::iota(routes.order.begin(), routes.order.end(), 0);
  const auto holder = [&](LocalIndex i) { return routes.slabs.owner(numbering.original(i)); };
  std::stable_sort(routes.order.begin(), routes.order.end(),
                   [&](LocalIndex a, LocalIndex b) { return holder(a) < holder(b); });
  for (const LocalIndex i : routes.order) {
    if (routes.destinations.empty() || routes.destinations.back().rank != holder(i))
      routes.destinations.push_back({holder(i), 0});
    ++routes.destinations.back().count;
  }
  return routes;
}

/// Whether every rank owns, in order, the very rows of its slab. Collective.
bool is_slab_layout(const Context& context, const Numbering& numbering) {
  const BlockRange slabs{numbering.n, context.size()};
  const bool here = numbering.identity() && numbering.owned_begin == slabs.begin(context.rank()) &&
                    numbering.owned_count == slabs.size(context.rank());
  return context.comm->all_reduce(std::int64_t{here}, ReduceOp::min) == 1;
}

/// Local places in this rank's slab of the rows that others (and this rank) own, grouped by owner.
/// Collective.
std::vector<GlobalIndex> slab_places(BulkExchange& plan, const SlabRoutes& routes, const Numbering& numbering,
                                     int rank) {
  std::vector<GlobalIndex> wanted;
  wanted.reserve(routes.order.size());
  for (const LocalIndex i : routes.order) wanted.push_back(numbering.original(i));
  std::vector<GlobalIndex> places = exchange<GlobalIndex>(plan, wanted);
  for (GlobalIndex& place : places) place -= routes.slabs.begin(rank);
  return places;
}

std::vector<Offset> first_of_each(std::span<const PeerCount> peers) {
  std::vector<Offset> first{0};
  for (const PeerCount& peer : peers) first.push_back(first.back() + peer.count);
  return first;
}

} // namespace

template <class T>
std::vector<T> from_original(const Context& context, const Numbering& numbering, std::span<const T> slab,
                             LocalIndex columns) {
  if (is_slab_layout(context, numbering)) return {slab.begin(), slab.end()};
  const SlabRoutes routes = find_routes(context, numbering);
  BulkExchange asking(context.comm, routes.destinations);
  const std::vector<GlobalIndex> places = slab_places(asking, routes, numbering, context.rank());

  BulkExchange answering(context.comm, {asking.sources().begin(), asking.sources().end()});
  const auto first_answer = first_of_each(answering.destinations()),
             first_mine = first_of_each(asking.destinations());
  const std::size_t row_bytes = sizeof(T) * static_cast<std::size_t>(columns);
  std::vector<T> owned(static_cast<std::size_t>(Offset{numbering.owned_count} * columns));
  answering.run(
      row_bytes,
      [&](std::size_t d, Offset first, Offset count, std::byte* out) {
        for (Offset i = 0; i < count; ++i, out += row_bytes)
          std::memcpy(out, slab.data() + places[first_answer[d] + first + i] * columns, row_bytes);
      },
      [&](std::size_t s, Offset first, Offset count, const std::byte* in) {
        for (Offset i = 0; i < count; ++i, in += row_bytes)
          std::memcpy(owned.data() + Offset{routes.order[first_mine[s] + first + i]} * columns, in, row_bytes);
      });
  return owned;
}

template <class T>
std::vector<T> to_original(const Context& context, const Numbering& numbering, std::span<const T> owned,
                           LocalIndex columns) {
  if (is_slab_layout(context, numbering)) return {owned.begin(), owned.end()};
  const SlabRoutes routes = find_routes(context, numbering);
  BulkExchange plan(context.comm, routes.destinations);
  const std::vector<GlobalIndex> places = slab_places(plan, routes, numbering, context.rank());

  const auto first_mine = first_of_each(plan.destinations()), first_place = first_of_each(plan.sources());
  const std::size_t row_bytes = sizeof(T) * static_cast<std::size_t>(columns);
  std::vector<T> slab(static_cast<std::size_t>(routes.slabs.size(context.rank()) * columns));
  plan.run(
      row_bytes,
      [&](std::size_t d, Offset first, Offset count, std::byte* out) {
        for (Offset i = 0; i < count; ++i, out += row_bytes)
          std::memcpy(out, owned.data() + Offset{routes.order[first_mine[d] + first + i]} * columns, row_bytes);
      },
      [&](std::size_t s, Offset first, Offset count, const std::byte* in) {
        for (Offset i = 0; i < count; ++i, in += row_bytes)
          std::memcpy(slab.data() + places[first_place[s] + first + i] * columns, in, row_bytes);
      });
  return slab;
}

#define ATOLL_INSTANTIATE(T)                                                                                         \
  template ATOLL_API std::vector<T> from_original(const Context&, const Numbering&, std::span<const T>, LocalIndex); \
  template ATOLL_API std::vector<T> to_original(const Context&, const Numbering&, std::span<const T>, LocalIndex);
ATOLL_INSTANTIATE(float)
ATOLL_INSTANTIATE(double)
ATOLL_INSTANTIATE(std::int64_t)
#undef ATOLL_INSTANTIATE

} // namespace atl
