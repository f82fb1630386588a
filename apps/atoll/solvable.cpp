#include "solvable.hpp"

#include <atoll/solvers/null_space.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl::app {

namespace {

constexpr GlobalIndex none = std::numeric_limits<GlobalIndex>::max();

/// Rows sum to zero up to rounding: |sum| over the sum of sizes is at most this.
template <class T>
constexpr double rounding = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
/// Rows were meant to sum to zero, but were written with six digits.
template <class T>
constexpr double nearly_zero = std::max(1e-6, rounding<T>);

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
                 const std::string& what, const char* advice, const std::string& name) {
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

namespace {

/// |sum of a row| over the sum of the sizes of its entries, for each row of this rank.
template <class T>
std::vector<T> relative_row_sums(const DSparseMatrix<T>& a) {
  std::vector<T> sums = a.row_sums().owned_to_host();
  const std::vector<T> sizes = a.row_abs_sums().owned_to_host();
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sizes[i] > T{0} ? std::abs(sums[i]) / sizes[i] : T{1};
  return sums;
}

template <class T>
double largest(const Context& context, const std::vector<T>& values) {
  double most = 0;
  for (const T value : values) most = std::max(most, static_cast<double>(value));
  return context.comm->all_reduce(most, ReduceOp::max);
}

/// The norm of b's part in the constants of the matrix's floating components, 0 where it has none; and how many.
template <class T>
std::pair<double, std::int64_t> unreachable_part(const DSparseMatrix<T>& a, const DVector<T>& b) {
  const NullSpace<T> space = NullSpace<T>::find(a);
  if (space.dimension() == 0) return {0, 0};
  DVector<T> copy = a.make_row_vector();
  copy.set_owned(b.owned_to_host());
  return {space.project(copy), space.dimension()};
}

/// The reason alone does not tell that no tolerance was asked for.
std::string explain_reason(const SolveJob& job, const SolveResult& result) {
  if (job.stopping.rtol == 0 && job.stopping.atol == 0) {
    constexpr auto none_asked = "no tolerance was asked for (--rtol and --atol are 0)";
    if (result.reason == Reason::failed_stagnation)
      return fmt::format("{}, so the solve went on until rounding kept the residual from falling further",
                         none_asked);
    if (result.reason == Reason::stopped_iterations || result.reason == Reason::stopped_time)
      return fmt::format("{}, so the solve went on until its limit", none_asked);
  }
  return std::string(explain(result.reason));
}

} // namespace

template <class T>
void require_constant_null_space(const Distributed<T>& system, const std::string& name) {
  const Context& context = system.matrix->context();
  const std::vector<T> sums = relative_row_sums(*system.matrix);
  refuse_rows<T>(
      context, system.rows, sums, [](T sum) { return !(static_cast<double>(sum) <= nearly_zero<T>); },
      fmt::format("with a sum of entries that is not zero but up to {:.3g} of the sum of their sizes",
                  largest(context, sums)),
      "constants are not in the null space of this matrix, so use --null-space auto or none", name);
}

template <class T>
std::string explain_ending(const SolveJob& job, const DSparseMatrix<T>& a, const DVector<T>& b,
                           std::int64_t null_space_dimension, SolveResult& result) {
  if (result.converged() || result.reason == Reason::failed_nan || result.reason == Reason::stopped_interrupt)
    return explain_reason(job, result);

  if (null_space_dimension == 0) {
    const auto [unreachable, components] = unreachable_part(a, b);
    const double target = std::max(job.stopping.rtol * result.reference, job.stopping.atol);
    if (unreachable > std::max(target, rounding<T> * result.rhs_norm)) {
      result.reason = Reason::failed_incompatible;
      result.certificate.forget_energy();
      return fmt::format("the matrix is singular (rows sum to zero on {}) and the right-hand side has a part of norm "
                         "{:.3g} there that no x can reach: --null-space auto removes it",
                         counted(components, "component"), unreachable);
    }
  }
  const double sum = largest(a.context(), relative_row_sums(a));
  if (sum <= rounding<T> || sum > nearly_zero<T>) return explain_reason(job, result);
  return fmt::format(
      "{}; rows sum to zero but for {:.3g} of their entries' sizes, so the matrix is nearly singular{}",
      explain_reason(job, result), sum,
      null_space_dimension == 0 ? ": --null-space constant removes the constants"
                                : " and constants are its null space only to that accuracy");
}

template void require_constant_null_space(const Distributed<float>&, const std::string&);
template void require_constant_null_space(const Distributed<double>&, const std::string&);
template std::string explain_ending(const SolveJob&, const DSparseMatrix<float>&, const DVector<float>&, std::int64_t,
                                    SolveResult&);
template std::string explain_ending(const SolveJob&, const DSparseMatrix<double>&, const DVector<double>&,
                                    std::int64_t, SolveResult&);
template void require_solvable(const Distributed<float>&, const std::string&);
template void require_solvable(const Distributed<double>&, const std::string&);

} // namespace atl::app
