#include "solvable.hpp"

#include <atoll/solvers/symmetry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl::app {

namespace {

constexpr GlobalIndex none = std::numeric_limits<GlobalIndex>::max();

/// The smallest `count` of the values of all ranks, ascending. Collective.
std::vector<GlobalIndex> smallest(Communicator& comm, std::vector<GlobalIndex> mine, int count) {
  std::sort(mine.begin(), mine.end());
  std::vector<GlobalIndex> found;
  for (auto next = mine.begin(); std::ssize(found) < count;) {
    const GlobalIndex least = comm.all_reduce(next == mine.end() ? none : *next, ReduceOp::min);
    if (least == none) break;
    found.push_back(least);
    if (next != mine.end() && *next == least) ++next;
  }
  return found;
}

/// "21, 42", or "1, 2, 3, 4, 5, ..." where there are more; numbers from 1.
std::string listed(std::span<const GlobalIndex> rows, std::int64_t count) {
  std::string text;
  for (GlobalIndex row : rows) text += fmt::format("{}{}", text.empty() ? "" : ", ", row + 1);
  return std::ssize(rows) < count ? text + ", ..." : text;
}

/// Names the rows for which `bad` holds. Collective.
template <class T, class Bad>
void refuse_rows(const Context& context, const Numbering& numbering, std::span<const T> abs_sums, Bad bad,
                 const char* what, const char* advice, const std::string& name) {
  std::vector<GlobalIndex> rows;
  for (std::size_t i = 0; i < abs_sums.size(); ++i)
    if (bad(abs_sums[i])) rows.push_back(numbering.original(static_cast<LocalIndex>(i)));
  const auto count = context.comm->all_reduce(static_cast<std::int64_t>(rows.size()), ReduceOp::sum);
  if (count == 0) return;
  const std::vector<GlobalIndex> first = smallest(*context.comm, std::move(rows), 5);
  throw Error(ErrorKind::bad_input,
              fmt::format("{} {} ({} {}): {}", counted(count, "row"), what, count == 1 ? "row" : "rows",
                          listed(first, count), advice),
              name);
}

/// Original number of a global row or column. Collective.
GlobalIndex original_of(const Context& context, const IndexMap& map, const Numbering& numbering, GlobalIndex i) {
  const GlobalIndex mine =
      map.owns(i) ? numbering.original(static_cast<LocalIndex>(i - map.owned_begin())) : GlobalIndex{-1};
  return context.comm->all_reduce(mine, ReduceOp::max);
}

} // namespace

template <class T>
void require_solvable(const Distributed<T>& system, const std::string& name) {
  const DSparseMatrix<T>& a = *system.matrix;
  const Context& context = a.context();

  const std::vector<T> abs_sums = a.row_abs_sums().owned_to_host();
  refuse_rows<T>(
      context, system.rows, abs_sums, [](T sum) { return !std::isfinite(sum); },
      "with entries that are not finite or that overflow when summed", "look for nan, inf or huge values", name);
  refuse_rows<T>(
      context, system.rows, abs_sums, [](T sum) { return sum == 0; }, "without entries",
      "the matrix is singular, so remove these rows and columns or give them a diagonal", name);

  const SymmetryReport symmetry = check_symmetry(a);
  if (symmetry.values) return;
  throw Error(
      ErrorKind::bad_input,
      fmt::format("the matrix is not symmetric: entries ({0}, {1}) and ({1}, {0}) differ by {2:.3g}; conjugate "
                  "gradients need a symmetric matrix, and methods for others (GMRES, BiCGStab) are not in this "
                  "build",
                  original_of(context, *a.row_map(), system.rows, symmetry.row) + 1,
                  original_of(context, *a.row_map(), system.rows, symmetry.column) + 1, symmetry.max_difference),
      name);
}

template void require_solvable(const Distributed<float>&, const std::string&);
template void require_solvable(const Distributed<double>&, const std::string&);

} // namespace atl::app
