#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/core/host_view.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

/// A local matrix for host code, with rows found by local number.
template <class T>
struct Rows {
  explicit Rows(const CsrMatrix<T>& a) : begin(a.row_begin), column(a.column), value(a.value), index(a.row_index) {
    if (index.empty()) return;
    storage.resize(static_cast<std::size_t>(a.rows));
    for (LocalIndex s = 0; s < a.rows; ++s) storage[index[s]] = s;
  }
  LocalIndex local_row(LocalIndex s) const { return index.empty() ? s : index[s]; }
  /// The entry of local row r and local column c; nullptr where none is stored.
  const T* find(LocalIndex r, LocalIndex c) const {
    const LocalIndex s = storage.empty() ? r : storage[r];
    const auto first = column.span().begin() + begin[s], last = column.span().begin() + begin[s + 1];
    const auto place = std::lower_bound(first, last, c);
    return place == last || *place != c ? nullptr : &value[place - column.span().begin()];
  }

  HostView<Offset> begin;
  HostView<LocalIndex> column;
  HostView<T> value;
  HostView<LocalIndex> index;
  std::vector<LocalIndex> storage;
};

/// Compares pairs and keeps the worst.
struct Comparison {
  double tolerance;
  SymmetryReport report;

  void compare(GlobalIndex row, GlobalIndex column, double mine, const double* mirror) {
    const double other = mirror ? *mirror : 0, difference = std::abs(mine - other);
    if (!mirror) report.pattern = false;
    if (!(difference <= tolerance * std::max(std::abs(mine), std::abs(other)))) report.values = false;
    if (difference > report.max_difference) {
      report.max_difference = difference;
      report.row = row;
      report.column = column;
    }
  }
};

template <class T>
void compare_owned(const DSparseMatrix<T>& a, const Rows<T>& rows, Comparison& comparison) {
  const LocalIndex owned = a.col_map()->n_owned();
  for (LocalIndex s = 0; s < a.local().rows; ++s) {
    const LocalIndex r = rows.local_row(s);
    for (Offset e = rows.begin[s]; e < rows.begin[s + 1]; ++e) {
      const LocalIndex c = rows.column[e];
      if (c >= owned || c == r) continue;
      const T* found = rows.find(c, r);
      if (found && c > r) continue; // seen from the other side
      const double mirror = found ? static_cast<double>(*found) : 0;
      comparison.compare(a.row_map()->to_global(r), a.row_map()->to_global(c), static_cast<double>(rows.value[e]),
                         found ? &mirror : nullptr);
    }
  }
}

/// Entries of ghost columns, grouped by the rank that owns their mirror's row.
template <class T>
void compare_ghosts(const DSparseMatrix<T>& a, const Rows<T>& rows, Comparison& comparison) {
  const IndexMap& map = *a.col_map();
  std::vector<Triplet<double>> ghosts;
  for (LocalIndex s = a.n_interior(); s < a.local().rows; ++s)
    for (Offset e = rows.begin[s]; e < rows.begin[s + 1]; ++e)
      if (rows.column[e] >= map.n_owned())
        ghosts.push_back(
            {map.to_global(rows.local_row(s)), map.to_global(rows.column[e]), static_cast<double>(rows.value[e])});
  // Ghosts ascend by owner as they ascend by index.
  std::sort(ghosts.begin(), ghosts.end(), [](const auto& x, const auto& y) { return x.column < y.column; });
  std::vector<PeerCount> destinations;
  std::size_t next = 0;
  LocalIndex first = 0;
  for (const auto& owner : map.ghost_owners()) {
    const GlobalIndex last = map.ghosts()[first + owner.count - 1];
    const std::size_t start = next;
    while (next < ghosts.size() && ghosts[next].column <= last) ++next;
    destinations.push_back({owner.rank, static_cast<Offset>(next - start)});
    first += owner.count;
  }
  BulkExchange plan(a.context().comm, std::move(destinations));
  for (const auto& entry : exchange<Triplet<double>>(plan, ghosts)) {
    const LocalIndex row = map.to_local(entry.column), column = map.to_local(entry.row);
    const T* found = column < 0 ? nullptr : rows.find(row, column);
    const double mirror = found ? static_cast<double>(*found) : 0;
    comparison.compare(entry.row, entry.column, entry.value, found ? &mirror : nullptr);
  }
}

} // namespace

template <class T>
SymmetryReport check_symmetry(const DSparseMatrix<T>& a) {
  Comparison comparison{std::is_same_v<T, float> ? 1e-5 : 1e-12, {}};
  const Rows<T> rows(a.local());
  compare_owned(a, rows, comparison);
  compare_ghosts(a, rows, comparison);

  SymmetryReport& report = comparison.report;
  Communicator& comm = *a.context().comm;
  report.pattern = comm.all_reduce(std::int64_t{report.pattern}, ReduceOp::min) == 1;
  report.values = comm.all_reduce(std::int64_t{report.values}, ReduceOp::min) == 1;
  const double worst = comm.all_reduce(report.max_difference, ReduceOp::max);
  // Of ranks with the worst pair, the one with the largest row names it.
  const bool here = worst > 0 && report.max_difference == worst;
  const GlobalIndex row = comm.all_reduce(here ? report.row : GlobalIndex{-1}, ReduceOp::max);
  report.column = comm.all_reduce(here && report.row == row ? report.column : GlobalIndex{-1}, ReduceOp::max);
  report.row = row;
  report.max_difference = worst;
  return report;
}

template <class T>
EmptyRows find_empty_rows(const DSparseMatrix<T>& a) {
  const Rows<T> rows(a.local());
  EmptyRows empty;
  for (LocalIndex s = 0; s < a.local().rows; ++s) {
    if (rows.begin[s] != rows.begin[s + 1]) continue;
    ++empty.count;
    if (empty.first.size() < 5) empty.first.push_back(a.row_map()->to_global(rows.local_row(s)));
  }
  std::sort(empty.first.begin(), empty.first.end());
  empty.count = a.context().comm->all_reduce(empty.count, ReduceOp::sum);
  return empty;
}

template ATOLL_API SymmetryReport check_symmetry(const DSparseMatrix<float>&);
template ATOLL_API SymmetryReport check_symmetry(const DSparseMatrix<double>&);
template ATOLL_API EmptyRows find_empty_rows(const DSparseMatrix<float>&);
template ATOLL_API EmptyRows find_empty_rows(const DSparseMatrix<double>&);

} // namespace atl
