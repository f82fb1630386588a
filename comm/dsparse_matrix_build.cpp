#include <atoll/comm/agree.hpp>
#include <atoll/comm/column_order.hpp>
#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/comm/split_rows.hpp>
#include <atoll/core/kernels.hpp>
#include <atoll/core/release.hpp>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

/// Columns outside this rank's owned range, each once.
template <class T>
std::vector<GlobalIndex> outside_columns(const RowBlock<T>& block, GlobalIndex begin, GlobalIndex end) {
  std::vector<GlobalIndex> outside;
  std::size_t compact_at = 1 << 16;
  const auto compact = [&] {
    std::sort(outside.begin(), outside.end());
    outside.erase(std::unique(outside.begin(), outside.end()), outside.end());
    compact_at = std::max(compact_at, 2 * outside.size());
  };
  for (const GlobalIndex c : block.column) {
    if (c >= begin && c < end) continue;
    outside.push_back(c);
    if (outside.size() > compact_at) compact();
  }
  compact();
  return outside;
}

/// Row by row: owned columns first, then ghosts, ascending in each group. Rows come sorted by global column,
/// where ghosts below the owned range stand first: they are rotated behind the owned ones.
template <class T>
void put_ghosts_last(RowBlock<T>& block, GlobalIndex begin, GlobalIndex end) {
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    const auto first = block.column.begin() + block.offsets[r], last = block.column.begin() + block.offsets[r + 1];
    const auto owned = std::lower_bound(first, last, begin);
    const auto above = std::lower_bound(owned, last, end);
    if (owned == first || owned == above) continue;
    const auto value = block.value.begin() + block.offsets[r];
    std::rotate(value, value + (owned - first), value + (above - first));
    std::rotate(first, owned, above);
  }
}

/// Storage order of the rows: interior first, then boundary, each in local order. Empty where that is local
/// order.
struct RowOrder {
  std::vector<LocalIndex> index;
  LocalIndex n_interior = 0;
};

template <class T>
RowOrder interior_first(const RowBlock<T>& block, GlobalIndex begin, GlobalIndex end) {
  RowOrder order;
  std::vector<LocalIndex> boundary;
  const auto is_boundary = [&](LocalIndex r) {
    // Ghosts stand last in a row.
    if (block.offsets[r] == block.offsets[r + 1]) return false;
    const GlobalIndex last = block.column[block.offsets[r + 1] - 1];
    return last < begin || last >= end;
  };
  bool in_order = true;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    if (is_boundary(r)) {
      boundary.push_back(r);
    } else {
      in_order = in_order && boundary.empty();
      ++order.n_interior;
    }
  }
  if (in_order) return order;
  order.index.reserve(static_cast<std::size_t>(block.rows()));
  std::size_t next = 0;
  for (LocalIndex r = 0; r < block.rows(); ++r) {
    if (next < boundary.size() && boundary[next] == r)
      ++next;
    else
      order.index.push_back(r);
  }
  order.index.insert(order.index.end(), boundary.begin(), boundary.end());
  return order;
}

/// An array filled by host code: in place where that is allowed, else through one host copy.
template <class U, class Fill>
Array<U> make_array(const ExecutorPtr& executor, Offset size, const Fill& fill) {
  Array<U> array(executor, size);
  if (executor->host_accessible()) {
    fill(array.host());
  } else {
    std::vector<U> host(static_cast<std::size_t>(size));
    fill(std::span(host));
    array.copy_from(host);
  }
  return array;
}

/// Moves the block's entries into local storage, one array after the other, each source freed at once: the
/// peak is the block and the local columns.
template <class T>
CsrMatrix<T> to_local(const ExecutorPtr& executor, RowBlock<T>& block, const IndexMap& columns,
                      std::vector<LocalIndex>&& row_index) {
  const LocalIndex rows = block.rows();
  const auto local_row = [&](LocalIndex s) { return row_index.empty() ? s : row_index[s]; };
  CsrMatrix<T> local;
  local.rows = rows;
  local.columns = columns.n_local();
  const auto gather = [&](const auto& from, auto to, const auto& convert) {
    Offset out = 0;
    for (LocalIndex s = 0; s < rows; ++s) {
      const LocalIndex r = local_row(s);
      for (Offset e = block.offsets[r]; e < block.offsets[r + 1]; ++e) to[out++] = convert(from[e]);
    }
  };
  local.column = make_array<LocalIndex>(executor, block.entries(), [&](std::span<LocalIndex> to) {
    gather(block.column, to, [&](GlobalIndex c) { return columns.to_local(c); });
  });
  release(block.column);
  local.value = make_array<T>(executor, std::ssize(block.value),
                              [&](std::span<T> to) { gather(block.value, to, [](T v) { return v; }); });
  release(block.value);
  local.row_begin = make_array<Offset>(executor, Offset{rows} + 1, [&](std::span<Offset> to) {
    to[0] = 0;
    for (LocalIndex s = 0; s < rows; ++s) {
      const LocalIndex r = local_row(s);
      to[s + 1] = to[s] + block.offsets[r + 1] - block.offsets[r];
    }
  });
  if (!row_index.empty()) local.row_index = Array<LocalIndex>(executor, row_index);
  return local;
}

/// Where each of the caller's entries is stored.
template <class T>
std::vector<Offset> find_positions(const CsrMatrix<T>& local, const IndexMap& columns,
                                   std::span<const Offset> offsets, std::span<const GlobalIndex> caller_columns) {
  const auto row_begin = local.row_begin.to_host();
  const auto column = local.column.to_host();
  const auto row_index = local.row_index.to_host();
  std::vector<Offset> position(caller_columns.size());
  for (LocalIndex s = 0; s < local.rows; ++s) {
    const LocalIndex r = row_index.empty() ? s : row_index[s];
    const auto first = column.begin() + row_begin[s], last = column.begin() + row_begin[s + 1];
    for (Offset e = offsets[r]; e < offsets[r + 1]; ++e)
      position[e] = (local.ascending ? std::lower_bound(first, last, columns.to_local(caller_columns[e]))
                                     : std::find(first, last, columns.to_local(caller_columns[e]))) -
                    column.begin();
  }
  return position;
}

} // namespace

template <class T>
DSparseMatrix<T> DSparseMatrix<T>::from_rows(const Context& context, RowBlock<T>&& rows, GlobalIndex owned_cols,
                                             Options options) {
  Communicator& comm = *context.comm;
  RowBlock<T> block = std::move(rows);
  validate(comm, block);
  const bool square = owned_cols < 0;
  agree(comm, [&] {
    if (square && block.n_rows != block.n_cols)
      throw Error(ErrorKind::usage, "a matrix of " + std::to_string(block.n_rows) + " x " +
                                        std::to_string(block.n_cols) +
                                        " is not square: say how many columns each rank owns");
  });

  DSparseMatrix a;
  a.context_ = context;
  a.packed_ = context.executor->template kernels<T>().packs();
  const GlobalIndex n_owned_cols = square ? GlobalIndex{block.rows()} : owned_cols;
  const GlobalIndex begin = square ? block.row_begin : comm.exclusive_sum(n_owned_cols), end = begin + n_owned_cols;

  std::vector<Offset> caller_offsets;
  std::vector<GlobalIndex> caller_columns, outside;
  RowOrder order;
  agree(comm, [&] {
    if (options.keep_positions) {
      caller_offsets = block.offsets;
      caller_columns = block.column;
    }
    sort_rows(block);
    put_ghosts_last(block, begin, end);
    outside = outside_columns(block, begin, end);
    order = interior_first(block, begin, end);
  });

  a.n_interior_ = order.n_interior;
  a.entries_ = comm.all_reduce(block.entries(), ReduceOp::sum);
  a.row_map_ = IndexMap::create(context.comm, block.rows());
  a.col_map_ = IndexMap::create(context.comm, n_owned_cols, std::move(outside));
  agree(comm, [&] {
    if (a.col_map_->global_size() != block.n_cols)
      throw Error(ErrorKind::usage, "the ranks own " + std::to_string(a.col_map_->global_size()) +
                                        " columns together, the matrix has " + std::to_string(block.n_cols));
  });
  const HaloPlanPtr plan = HaloPlan::create(a.col_map_);
  const bool ordered = comm.all_reduce(std::int64_t{!options.column_order.empty()}, ReduceOp::max) != 0;
  if (ordered) order_columns(context, block, plan, options.column_order);
  agree(comm, [&] {
    if (a.packed_) {
      a.split_ = split_rows(context.executor, block, *a.col_map_, options.storage, options.keep_positions, ordered);
      if (options.keep_positions)
        a.position_ = split_positions(a.split_, *a.col_map_, caller_offsets, caller_columns);
      return;
    }
    a.local_ = to_local(context.executor, block, *a.col_map_, std::move(order.index));
    a.local_.ascending = !ordered;
    if (options.keep_positions) {
      a.position_ = find_positions(a.local_, *a.col_map_, caller_offsets, caller_columns);
      if (!context.executor->host_accessible()) a.staged_values_.resize(static_cast<std::size_t>(a.local_.entries()));
    }
  });
  a.halo_ = std::make_unique<HaloExchange<T>>(context, plan);
  return a;
}

template DSparseMatrix<float> DSparseMatrix<float>::from_rows(const Context&, RowBlock<float>&&, GlobalIndex,
                                                              Options);
template DSparseMatrix<double> DSparseMatrix<double>::from_rows(const Context&, RowBlock<double>&&, GlobalIndex,
                                                                Options);

} // namespace atl
