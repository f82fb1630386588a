#include <atoll/comm/row_reader.hpp>
#include <atoll/solvers/components.hpp>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

/// The same ranks, data in host memory: graph searches are set-up work of the host.
Context on_host(const Context& context) {
  Context host = context;
  host.executor = make_host_executor();
  return host;
}

/// Root of a union-find forest, halving the path on the way (Tarjan & van Leeuwen, J. ACM 31, 1984).
LocalIndex find_root(std::vector<LocalIndex>& parent, LocalIndex i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

} // namespace

template <class T>
ComponentFinder<T>::ComponentFinder(const DSparseMatrix<T>& a)
    : comm_(a.context().comm), map_(a.col_map()), rows_(a.row_map()->n_owned()),
      halo_(on_host(a.context()), a.plan()), carried_(on_host(a.context()), map_) {
  find_pieces(a);
  label_.assign(static_cast<std::size_t>(n_pieces_), 0);
  for (LocalIndex r = rows_ - 1; r >= 0; --r)
    label_[piece_[r]] = static_cast<double>(map_->to_global(r)); // the smallest row of a piece comes last
  spread_minimum(label_);

  // A component is counted where its smallest row lives, once.
  std::int64_t mine = 0;
  for (LocalIndex r = 0; r < rows_; ++r) mine += label_[piece_[r]] == static_cast<double>(map_->to_global(r));
  count_ = comm_->all_reduce(mine, ReduceOp::sum);
}

template <class T>
void ComponentFinder<T>::find_pieces(const DSparseMatrix<T>& a) {
  const LocalIndex owned = map_->n_owned();
  std::vector<LocalIndex>& parent = piece_;
  parent.resize(static_cast<std::size_t>(rows_));
  std::iota(parent.begin(), parent.end(), 0);
  RowReader<T>(a).for_rows([&](LocalIndex r, std::span<const LocalIndex> columns, std::span<const T>) {
    for (const LocalIndex c : columns) {
      if (c >= owned) crossings_.push_back({r, c - owned});
      if (c >= r) continue; // the graph is symmetric: half of it is enough
      const LocalIndex one = find_root(parent, r), other = find_root(parent, c);
      parent[std::max(one, other)] = std::min(one, other);
    }
  });
  // A root is the smallest row of its piece, so it has its number before its followers ask for it.
  for (LocalIndex r = 0; r < rows_; ++r) parent[r] = find_root(parent, r);
  std::vector<LocalIndex> number(static_cast<std::size_t>(rows_));
  for (LocalIndex r = 0; r < rows_; ++r) number[r] = parent[r] == r ? n_pieces_++ : number[parent[r]];
  piece_ = std::move(number);

  reaches_out_.assign(static_cast<std::size_t>(n_pieces_), 0);
  for (Crossing& crossing : crossings_) {
    crossing.piece = piece_[crossing.piece]; // the row, so far
    reaches_out_[crossing.piece] = 1;
  }
}

template <class T>
void ComponentFinder<T>::spread_minimum(std::vector<double>& value_of_piece) {
  for (bool changed = true; comm_->all_reduce(std::int64_t{changed}, ReduceOp::max) != 0;) {
    changed = false;
    const std::span<double> values = carried_.owned_host();
    for (LocalIndex r = 0; r < rows_; ++r) values[r] = value_of_piece[piece_[r]];
    halo_.forward(carried_);
    const double* ghosts = carried_.ghosts();
    for (const Crossing& crossing : crossings_) {
      double& mine = value_of_piece[crossing.piece];
      if (ghosts[crossing.ghost] >= mine) continue;
      mine = ghosts[crossing.ghost];
      changed = true;
    }
  }
}

template class ComponentFinder<float>;
template class ComponentFinder<double>;

} // namespace atl
