#include "store_parts.hpp"

#include "renumber.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/io/safe_file.hpp>
#include <atoll/io/store.hpp>
#include <atoll/partition/redistribute.hpp>

namespace atl::app {

namespace {

/// Parts are dealt to the ranks in contiguous runs.
std::vector<int> ranks_of(std::span<const int> part, const BlockRange& parts) {
  std::vector<int> rank;
  rank.reserve(part.size());
  for (int p : part) rank.push_back(parts.owner(p));
  return rank;
}

/// The part of each row after the rows have moved: by way of the original numbering, which both orders know.
std::vector<int> parts_after_move(const Context& context, std::span<const int> part, const Numbering& before,
                                  const Numbering& after) {
  const std::vector<double> old_order(part.begin(), part.end());
  const std::vector<double> slab = to_original<double>(context, before, old_order);
  const std::vector<double> new_order = from_original<double>(context, after, slab);
  return {new_order.begin(), new_order.end()};
}

/// Where each part's rows begin, in global numbering: parts + 1 offsets, the same on all ranks. Collective.
std::vector<GlobalIndex> row_ranges(const Context& context, std::span<const int> part, int parts) {
  std::vector<std::int64_t> begin(static_cast<std::size_t>(parts) + 1, 0);
  for (int p : part) ++begin[static_cast<std::size_t>(p) + 1];
  context.comm->all_reduce(std::span<std::int64_t>(begin), ReduceOp::sum);
  for (std::size_t p = 1; p < begin.size(); ++p) begin[p] += begin[p - 1];
  return begin;
}

} // namespace

template <class T>
PartedRows<T> bring_parts_together(const Context& context, Loaded<T>&& loaded, std::span<const int> owner,
                                   int parts) {
  std::vector<int> rank = ranks_of(owner, {parts, context.size()});
  const Numbering before = loaded.numbering;
  auto moved = redistribute<T>(context, std::move(loaded.rows), std::move(rank), before);
  const std::vector<int> part = parts_after_move(context, owner, before, moved.numbering);
  order_by_part<T>(context, moved.rows, moved.numbering, part);
  return {std::move(moved.rows), std::move(moved.numbering), row_ranges(context, part, parts)};
}

template <class T>
void write_partitioned_store(const Context& context, const std::string& path, Loaded<T>&& loaded,
                             std::span<const int> owner, int parts, bool compress) {
  const std::string name = loaded.name;
  const PartedRows<T> parted = bring_parts_together<T>(context, std::move(loaded), owner, parts);
  write_store<T>(context, path, parted.rows, parted.numbering, parted.row_ranges,
                 {.compress = compress, .name = name});
}

void write_text_in_parallel(const Context& context, const std::string& path, std::string_view text) {
  SafeFile safe(*context.comm, path);
  const Offset begin = context.comm->exclusive_sum(std::ssize(text));
  agree(*context.comm, [&] {
    OutputFile file(safe.temporary());
    file.write(begin, text);
    file.close();
  });
  safe.commit(*context.comm);
}

template PartedRows<float> bring_parts_together(const Context&, Loaded<float>&&, std::span<const int>, int);
template PartedRows<double> bring_parts_together(const Context&, Loaded<double>&&, std::span<const int>, int);
template void write_partitioned_store(const Context&, const std::string&, Loaded<float>&&, std::span<const int>, int,
                                      bool);
template void write_partitioned_store(const Context&, const std::string&, Loaded<double>&&, std::span<const int>, int,
                                      bool);

} // namespace atl::app
