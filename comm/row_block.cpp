#include <atoll/comm/agree.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/core/release.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

namespace atl {
namespace {

/// Sorts one row by column, stably: entries of the same column keep their order, so that sums are repeatable.
template <class T>
void sort_row(GlobalIndex* column, T* value, Offset count, std::vector<std::pair<GlobalIndex, T>>& scratch) {
  if (std::is_sorted(column, column + count)) return;
  constexpr Offset short_row = 24;
  if (count <= short_row) {
    for (Offset i = 1; i < count; ++i) {
      const GlobalIndex c = column[i];
      const T v = value[i];
      Offset place = i;
      for (; place > 0 && column[place - 1] > c; --place) {
        column[place] = column[place - 1];
        value[place] = value[place - 1];
      }
      column[place] = c;
      value[place] = v;
    }
    return;
  }
  scratch.resize(static_cast<std::size_t>(count));
  for (Offset i = 0; i < count; ++i) scratch[static_cast<std::size_t>(i)] = {column[i], value[i]};
  std::stable_sort(scratch.begin(), scratch.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (Offset i = 0; i < count; ++i) std::tie(column[i], value[i]) = scratch[static_cast<std::size_t>(i)];
}

std::string row_name(GlobalIndex row) { return "row " + std::to_string(row + 1); }

/// Ranks' ranges follow one another and cover all rows.
template <class T>
void check_ranges(Communicator& comm, const RowBlock<T>& block) {
  const GlobalIndex expected_begin = comm.exclusive_sum(block.rows());
  const GlobalIndex total = comm.all_reduce(GlobalIndex{block.rows()}, ReduceOp::sum);
  agree(comm, [&] {
    if (block.row_begin != expected_begin || total != block.n_rows)
      throw Error(ErrorKind::usage, "the ranks' row ranges must follow one another and cover all rows: this rank's "
                                    "begins at " +
                                        std::to_string(block.row_begin) + ", expected " +
                                        std::to_string(expected_begin) + "; together they have " +
                                        std::to_string(total) + " rows of " + std::to_string(block.n_rows));
  });
}

template <class T>
void check_entries(const RowBlock<T>& block) {
  if (block.offsets.empty() || block.offsets.front() != 0 || block.offsets.back() != block.entries() ||
      std::ssize(block.value) != block.entries() || !std::is_sorted(block.offsets.begin(), block.offsets.end()))
    throw Error(ErrorKind::usage, "row offsets must ascend from 0 to the number of columns and values given");
  for (LocalIndex r = 0; r < block.rows(); ++r)
    for (Offset e = block.offsets[r]; e < block.offsets[r + 1]; ++e)
      if (block.column[e] < 0 || block.column[e] >= block.n_cols)
        throw Error(ErrorKind::bad_input, "column " + std::to_string(block.column[e]) + " (counted from 0) in " +
                                              row_name(block.row_begin + r) + " is outside 0 to " +
                                              std::to_string(block.n_cols - 1));
}

} // namespace

template <class T>
void sort_rows(RowBlock<T>& block) {
  std::vector<std::pair<GlobalIndex, T>> scratch;
  Offset out = 0, begin = 0;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    const Offset end = block.offsets[r + 1], row_out = out;
    sort_row(block.column.data() + begin, block.value.data() + begin, end - begin, scratch);
    for (Offset e = begin; e < end; ++e) {
      if (out > row_out && block.column[out - 1] == block.column[e]) {
        block.value[out - 1] += block.value[e];
      } else {
        block.column[out] = block.column[e];
        block.value[out++] = block.value[e];
      }
    }
    begin = end;
    block.offsets[r + 1] = out;
  }
  block.column.resize(static_cast<std::size_t>(out));
  block.value.resize(static_cast<std::size_t>(out));
}

template <class T>
void validate(Communicator& comm, const RowBlock<T>& block) {
  agree(comm, [&] { check_entries(block); });
  check_ranges(comm, block);
}

template <class T>
RowBlock<T> assemble(const Context& context, GlobalIndex n_rows, GlobalIndex n_cols, LocalIndex row_count,
                     std::vector<Triplet<T>>&& triplets) {
  Communicator& comm = *context.comm;
  RowBlock<T> block;
  block.n_rows = n_rows;
  block.n_cols = n_cols;
  block.row_begin = comm.exclusive_sum(row_count);
  block.offsets.assign(static_cast<std::size_t>(row_count) + 1, 0);
  check_ranges(comm, block);

  // Transient, length P: the first row of every rank.
  const std::vector<std::int64_t> begins = comm.all_gather(block.row_begin);
  std::vector<PeerCount> destinations;
  agree(comm, [&] {
    for (const auto& t : triplets)
      if (t.row < 0 || t.row >= n_rows || t.column < 0 || t.column >= n_cols)
        throw Error(ErrorKind::bad_input, "entry (" + std::to_string(t.row) + ", " + std::to_string(t.column) +
                                              "), counted from 0, is outside the matrix of " +
                                              std::to_string(n_rows) + " x " + std::to_string(n_cols));
    const auto by_row = [](const auto& a, const auto& b) { return a.row < b.row; };
    if (!std::is_sorted(triplets.begin(), triplets.end(), by_row))
      std::stable_sort(triplets.begin(), triplets.end(), by_row);
    for (const auto& t : triplets) {
      const auto after = std::upper_bound(begins.begin(), begins.end(), t.row);
      const int owner = static_cast<int>(after - begins.begin()) - 1;
      if (destinations.empty() || destinations.back().rank != owner) destinations.push_back({owner, 0});
      ++destinations.back().count;
    }
  });

  BulkExchange plan(context.comm, std::move(destinations));
  std::vector<Triplet<T>> mine = exchange<Triplet<T>>(plan, triplets);
  release(triplets);

  // Counting sort by row keeps the order of arrival, which is by rank: sums of duplicates are repeatable.
  for (const auto& t : mine) ++block.offsets[t.row - block.row_begin + 1];
  std::partial_sum(block.offsets.begin(), block.offsets.end(), block.offsets.begin());
  block.column.resize(mine.size());
  block.value.resize(mine.size());
  std::vector<Offset> next(block.offsets.begin(), block.offsets.end() - 1);
  for (const auto& t : mine) {
    const Offset place = next[t.row - block.row_begin]++;
    block.column[place] = t.column;
    block.value[place] = t.value;
  }
  release(mine);
  sort_rows(block);
  return block;
}

#define ATOLL_INSTANTIATE(T)                                                                                         \
  template ATOLL_API void sort_rows(RowBlock<T>&);                                                                   \
  template ATOLL_API void validate(Communicator&, const RowBlock<T>&);                                               \
  template ATOLL_API RowBlock<T> assemble(const Context&, GlobalIndex, GlobalIndex, LocalIndex,                      \
                                          std::vector<Triplet<T>>&&);
ATOLL_INSTANTIATE(float)
ATOLL_INSTANTIATE(double)
#undef ATOLL_INSTANTIATE

} // namespace atl
