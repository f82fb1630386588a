#include <atoll/comm/row_reader.hpp>
#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace atl {
namespace {

/// A sum over the entries above the diagonal less one over those below, each entry by a hash of its place, mirrored
/// below, and of its value. It is zero for a symmetric matrix; for another, once in 2^64.
template <class T>
bool same_fingerprints(const DSparseMatrix<T>& a) {
  const auto mix = [](std::uint64_t hash, std::uint64_t bits) {
    hash = (hash ^ bits) * 0xd6e8feb86659fd93u;
    hash = (hash ^ (hash >> 32)) * 0xd6e8feb86659fd93u;
    return hash ^ (hash >> 32);
  };
  std::uint64_t sum = 0;
  RowReader<T>(a).for_rows([&](LocalIndex r, std::span<const LocalIndex> columns, std::span<const T> values) {
    const auto row = static_cast<std::uint64_t>(a.row_map()->to_global(r));
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const auto column = static_cast<std::uint64_t>(a.col_map()->to_global(columns[k]));
      if (row == column) continue;
      const auto value = std::bit_cast<std::uint64_t>(static_cast<double>(values[k]));
      const std::uint64_t hash =
          mix(mix(mix(0x9e3779b97f4a7c15u, std::min(row, column)), std::max(row, column)), value);
      sum += row < column ? hash : ~hash + 1;
    }
  });
  // Halves, so that sums over ranks do not overflow.
  std::int64_t halves[] = {static_cast<std::int64_t>(sum & 0xffffffffu), static_cast<std::int64_t>(sum >> 32)};
  a.context().comm->all_reduce(std::span<std::int64_t>(halves), ReduceOp::sum);
  return static_cast<std::uint64_t>(halves[0]) + (static_cast<std::uint64_t>(halves[1]) << 32) == 0;
}

/// A copy of the local rows, to find entries in.
template <class T>
struct Rows {
  explicit Rows(const DSparseMatrix<T>& a) {
    std::vector<std::pair<LocalIndex, T>> row;
    RowReader<T>(a).for_rows([&](LocalIndex, std::span<const LocalIndex> columns, std::span<const T> values) {
      row.clear();
      for (std::size_t k = 0; k < columns.size(); ++k) row.emplace_back(columns[k], values[k]);
      std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
      for (const auto& [c, v] : row) {
        column.push_back(c);
        value.push_back(v);
      }
      begin.push_back(std::ssize(column));
    });
  }
  LocalIndex count() const { return static_cast<LocalIndex>(begin.size() - 1); }
  /// The entry of local row r and local column c; nullptr where none is stored.
  const T* find(LocalIndex r, LocalIndex c) const {
    const auto first = column.begin() + begin[r], last = column.begin() + begin[r + 1];
    const auto place = std::lower_bound(first, last, c);
    return place == last || *place != c ? nullptr : &value[static_cast<std::size_t>(place - column.begin())];
  }

  std::vector<Offset> begin{0};
  std::vector<LocalIndex> column;
  std::vector<T> value;
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
  for (LocalIndex r = 0; r < rows.count(); ++r) {
    for (Offset e = rows.begin[r]; e < rows.begin[r + 1]; ++e) {
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
  for (LocalIndex r = 0; r < rows.count(); ++r)
    for (Offset e = rows.begin[r]; e < rows.begin[r + 1]; ++e)
      if (rows.column[e] >= map.n_owned())
        ghosts.push_back({map.to_global(r), map.to_global(rows.column[e]), static_cast<double>(rows.value[e])});
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
  if (same_fingerprints(a)) return {};
  Comparison comparison{std::is_same_v<T, float> ? 1e-5 : 1e-12, {}};
  const Rows<T> rows(a);
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

template ATOLL_API SymmetryReport check_symmetry(const DSparseMatrix<float>&);
template ATOLL_API SymmetryReport check_symmetry(const DSparseMatrix<double>&);

} // namespace atl
