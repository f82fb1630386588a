#include <atoll/comm/agree.hpp>
#include <atoll/comm/column_order.hpp>
#include <atoll/comm/halo_exchange.hpp>

#include <algorithm>

namespace atl {

namespace {

/// The numbers of ghost columns. They travel as doubles, which hold whole numbers up to 2^53.
std::vector<GlobalIndex> numbers_of_ghosts(const Context& context, const HaloPlanPtr& plan,
                                           std::span<const GlobalIndex> number) {
  Context on_host = context;
  on_host.executor = make_host_executor();
  DVector<double> carried(on_host, plan->map());
  std::ranges::copy(number, carried.owned_host().begin());
  HaloExchange<double>(on_host, plan).forward(carried);
  std::vector<GlobalIndex> ghosts(static_cast<std::size_t>(plan->n_receive()));
  for (std::size_t g = 0; g < ghosts.size(); ++g) ghosts[g] = static_cast<GlobalIndex>(carried.ghosts()[g]);
  return ghosts;
}

template <class T>
void sort_entries(RowBlock<T>& block, const IndexMap& columns, std::span<const GlobalIndex> number,
                  std::span<const GlobalIndex> ghosts) {
  struct Entry {
    GlobalIndex number, column;
    T value;
  };
  std::vector<Entry> row;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    row.clear();
    for (Offset e = block.offsets[r]; e < block.offsets[r + 1]; ++e) {
      const LocalIndex c = columns.to_local(block.column[e]);
      row.push_back(
          {c < columns.n_owned() ? number[c] : ghosts[c - columns.n_owned()], block.column[e], block.value[e]});
    }
    std::ranges::sort(row, {}, &Entry::number);
    for (std::size_t k = 0; k < row.size(); ++k) {
      block.column[block.offsets[r] + static_cast<Offset>(k)] = row[k].column;
      block.value[block.offsets[r] + static_cast<Offset>(k)] = row[k].value;
    }
  }
}

} // namespace

template <class T>
void order_columns(const Context& context, RowBlock<T>& block, const HaloPlanPtr& plan,
                   std::span<const GlobalIndex> number) {
  const IndexMap& columns = *plan->map();
  agree(*context.comm, [&] {
    if (std::ssize(number) != columns.n_owned())
      throw Error(ErrorKind::usage, "Options::column_order has " + std::to_string(number.size()) +
                                        " numbers, expected one for each of the " +
                                        std::to_string(columns.n_owned()) + " owned columns");
  });
  const std::vector<GlobalIndex> ghosts = numbers_of_ghosts(context, plan, number);
  agree(*context.comm, [&] { sort_entries(block, columns, number, ghosts); });
}

template void order_columns(const Context&, RowBlock<float>&, const HaloPlanPtr&, std::span<const GlobalIndex>);
template void order_columns(const Context&, RowBlock<double>&, const HaloPlanPtr&, std::span<const GlobalIndex>);

} // namespace atl
