#pragma once

#include <atoll/comm/halo_plan.hpp>
#include <atoll/comm/row_block.hpp>

namespace atl {

/// The undirected graph of A + A' without loops, cut by rows over the ranks like the RowBlock it came from.
/// Layout     row i's neighbours are neighbour[offsets[i] .. offsets[i + 1]): local numbers of map(), owned
///            rows first, ghosts after, without duplicates, in no order.
/// Invariant  symmetric: an edge is stored in the rows of both its ends. Edges weigh edge_weight, or 1 each
///            where that is empty; weight is a row's share of the work, at least 1. Where a_ji is not stored, row j
///            of y = A x does not need x_i: one_way tells; it is empty for symmetric patterns.
/// Ranks      nothing of length n() is held; every member is local.
struct DGraph {
  HaloPlanPtr halo;
  std::vector<Offset> offsets{0};
  std::vector<LocalIndex> neighbour;
  std::vector<std::int32_t> edge_weight;
  std::vector<std::int32_t> weight;
  std::vector<Offset> one_way; ///< of make_graph: positions of row i's neighbours j with no entry a_ji, ascending

  const IndexMap& map() const { return *halo->map(); }
  GlobalIndex n() const { return map().global_size(); }
  LocalIndex rows() const { return static_cast<LocalIndex>(offsets.size() - 1); }
  std::span<const LocalIndex> neighbours(LocalIndex row) const {
    return std::span(neighbour).subspan(offsets[row], offsets[row + 1] - offsets[row]);
  }
  std::int32_t edge(Offset position) const { return edge_weight.empty() ? 1 : edge_weight[position]; }
};

/// Graph of a square block's pattern. Entries (i, j) with j on another rank are shown to that rank, so that
/// the graph is symmetric for nonsymmetric patterns too. With weight_rows_by_entries a row weighs its stored
/// entries, unless all rows are much alike (the longest has at most 1.5 times the mean): then every row
/// weighs 1, since rows are what vectors are made of, and equal parts of rows are equal parts of entries.
/// Rows that are not sorted by column cost a sorted copy of the columns. Collective.
/// Errors     Error{usage} for a matrix that is not square, Error{bad_input} for a column out of range.
template <class T>
ATOLL_API DGraph make_graph(const Context& context, const RowBlock<T>& block, bool weight_rows_by_entries);

} // namespace atl
