#include "renumber.hpp"

#include <atoll/comm/halo_exchange.hpp>

#include <algorithm>
#include <numeric>

namespace atl::app {

namespace {

/// Row numbers travel as doubles, which carry integers exactly up to here.
constexpr GlobalIndex exact_in_double = GlobalIndex{1} << 53;

template <class T>
std::vector<GlobalIndex> foreign_columns(const RowBlock<T>& rows) {
  std::vector<GlobalIndex> foreign;
  for (GlobalIndex c : rows.column)
    if (c < rows.row_begin || c >= rows.row_end()) foreign.push_back(c);
  std::sort(foreign.begin(), foreign.end());
  foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
  return foreign;
}

} // namespace

template <class T>
void renumber_columns(const Context& context, RowBlock<T>& rows, std::span<const GlobalIndex> new_number) {
  ensure(rows.n_rows == rows.n_cols && rows.n_rows < exact_in_double, "renumbering needs a square matrix");
  const Context host{context.comm, make_host_executor(), context.observer};
  const IndexMapPtr map = IndexMap::create(context.comm, rows.rows(), foreign_columns(rows));
  HaloExchange<double> halo(host, HaloPlan::create(map));

  DVector<double> numbers(host, map);
  std::copy(new_number.begin(), new_number.end(), numbers.owned_host().begin());
  halo.forward(numbers);
  for (GlobalIndex& c : rows.column) c = static_cast<GlobalIndex>(numbers.data()[map->to_local(c)]);
}

template <class T>
RowBlock<T> to_original_rows(const Context& context, RowBlock<T>&& rows, const Numbering& numbering) {
  const BlockRange slabs{rows.n_rows, context.size()};
  const auto moves = std::int64_t{!numbering.identity() || rows.row_begin != slabs.begin(context.rank()) ||
                                  rows.rows() != slabs.size(context.rank())};
  if (context.comm->all_reduce(moves, ReduceOp::max) == 0) return std::move(rows);

  std::vector<GlobalIndex> original(static_cast<std::size_t>(rows.rows()));
  for (LocalIndex i = 0; i < rows.rows(); ++i) original[static_cast<std::size_t>(i)] = numbering.original(i);
  const auto all_identity = context.comm->all_reduce(std::int64_t{numbering.identity()}, ReduceOp::min);
  if (!all_identity) renumber_columns<T>(context, rows, original);

  std::vector<Triplet<T>> triplets;
  triplets.reserve(rows.column.size());
  for (std::size_t i = 0; i < original.size(); ++i)
    for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e)
      triplets.push_back({original[i], rows.column[e], rows.value[e]});
  const GlobalIndex n_rows = rows.n_rows, n_cols = rows.n_cols;
  rows = {};
  return assemble<T>(context, n_rows, n_cols, static_cast<LocalIndex>(slabs.size(context.rank())),
                     std::move(triplets));
}

namespace {

/// The rows in the order given: new row i is old row order[i].
template <class T>
RowBlock<T> permuted_rows(const RowBlock<T>& rows, std::span<const LocalIndex> order) {
  RowBlock<T> result{rows.n_rows, rows.n_cols, rows.row_begin, {0}, {}, {}};
  result.offsets.reserve(order.size() + 1);
  result.column.reserve(rows.column.size());
  result.value.reserve(rows.value.size());
  for (LocalIndex old : order) {
    const auto first = rows.offsets[static_cast<std::size_t>(old)];
    const auto last = rows.offsets[static_cast<std::size_t>(old) + 1];
    result.column.insert(result.column.end(), rows.column.begin() + first, rows.column.begin() + last);
    result.value.insert(result.value.end(), rows.value.begin() + first, rows.value.begin() + last);
    result.offsets.push_back(std::ssize(result.column));
  }
  return result;
}

} // namespace

template <class T>
void order_by_part(const Context& context, RowBlock<T>& rows, Numbering& numbering, std::span<const int> part) {
  const auto n = static_cast<std::size_t>(rows.rows());
  std::vector<LocalIndex> order(n);
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](LocalIndex i) { return std::pair(part[static_cast<std::size_t>(i)], numbering.original(i)); };
  std::sort(order.begin(), order.end(), [&](LocalIndex a, LocalIndex b) { return key(a) < key(b); });

  std::vector<GlobalIndex> new_number(n), original(n);
  for (std::size_t i = 0; i < n; ++i) {
    new_number[static_cast<std::size_t>(order[i])] = rows.row_begin + static_cast<GlobalIndex>(i);
    original[i] = numbering.original(order[i]);
  }
  renumber_columns<T>(context, rows, new_number);
  rows = permuted_rows(rows, order);
  sort_rows(rows);
  numbering.original_index = std::move(original);
}

template void renumber_columns(const Context&, RowBlock<float>&, std::span<const GlobalIndex>);
template void renumber_columns(const Context&, RowBlock<double>&, std::span<const GlobalIndex>);
template RowBlock<float> to_original_rows(const Context&, RowBlock<float>&&, const Numbering&);
template RowBlock<double> to_original_rows(const Context&, RowBlock<double>&&, const Numbering&);
template void order_by_part(const Context&, RowBlock<float>&, Numbering&, std::span<const int>);
template void order_by_part(const Context&, RowBlock<double>&, Numbering&, std::span<const int>);

} // namespace atl::app
