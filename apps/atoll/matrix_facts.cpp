#include "matrix_facts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl::app {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Sums and extremes of one row.
struct RowFigures {
  double diagonal = 0, sum = 0, abs_sum = 0, off_diagonal = 0;
  bool has_diagonal = false;
};

void add_entry(MatrixFacts& facts, RowFigures& row, GlobalIndex i, GlobalIndex j, double value) {
  const double size = std::fabs(value);
  if (value == 0) ++facts.explicit_zeros;
  if (!std::isfinite(value)) ++facts.not_finite;
  facts.lower_bandwidth = std::max(facts.lower_bandwidth, i - j);
  facts.upper_bandwidth = std::max(facts.upper_bandwidth, j - i);
  facts.norm_frobenius += value * value; // the square until the end
  facts.max_abs = std::max(facts.max_abs, size);
  row.sum += value;
  row.abs_sum += size;
  if (i == j) {
    row.diagonal = value;
    row.has_diagonal = true;
  } else {
    row.off_diagonal += size;
  }
}

void add_row(MatrixFacts& facts, const RowFigures& row, Offset entries) {
  facts.row_entries_min = std::min(facts.row_entries_min, entries);
  facts.row_entries_max = std::max(facts.row_entries_max, entries);
  facts.norm_inf = std::max(facts.norm_inf, row.abs_sum);
  if (entries == 0) ++facts.empty_rows;
  if (!row.has_diagonal)
    ++facts.diagonal_missing;
  else if (row.diagonal == 0)
    ++facts.diagonal_zero;
  else
    ++(row.diagonal > 0 ? facts.diagonal_positive : facts.diagonal_negative);

  const double rounding = 100 * std::numeric_limits<double>::epsilon() * row.abs_sum;
  if (entries > 0 && std::fabs(row.sum) <= rounding) ++facts.zero_row_sums;
  if (std::fabs(row.diagonal) >= row.off_diagonal - rounding) ++facts.dominant;
  if (std::fabs(row.diagonal) > row.off_diagonal + rounding) ++facts.strictly_dominant;
  facts.gershgorin_low = std::min(facts.gershgorin_low, row.diagonal - row.off_diagonal);
  facts.gershgorin_high = std::max(facts.gershgorin_high, row.diagonal + row.off_diagonal);
}

MatrixFacts local_facts(const RowBlock<double>& rows) {
  MatrixFacts facts;
  facts.row_entries_min = std::numeric_limits<Offset>::max();
  facts.gershgorin_low = infinity;
  facts.gershgorin_high = -infinity;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
    RowFigures row;
    for (Offset e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
      add_entry(facts, row, rows.row_begin + static_cast<GlobalIndex>(i), rows.column[static_cast<std::size_t>(e)],
                rows.value[static_cast<std::size_t>(e)]);
    add_row(facts, row, rows.offsets[i + 1] - rows.offsets[i]);
  }
  facts.entries = rows.entries();
  return facts;
}

template <class Number, std::size_t n>
void reduce(Communicator& comm, Number* const (&values)[n], ReduceOp op) {
  Number all[n];
  for (std::size_t i = 0; i < n; ++i) all[i] = *values[i];
  comm.all_reduce(std::span<Number>(all), op);
  for (std::size_t i = 0; i < n; ++i) *values[i] = all[i];
}

} // namespace

MatrixFacts gather_facts(Communicator& comm, const RowBlock<double>& rows) {
  MatrixFacts facts = local_facts(rows);
  reduce<std::int64_t>(comm,
                       {&facts.entries, &facts.explicit_zeros, &facts.not_finite, &facts.empty_rows,
                        &facts.diagonal_missing, &facts.diagonal_zero, &facts.diagonal_positive,
                        &facts.diagonal_negative, &facts.zero_row_sums, &facts.dominant, &facts.strictly_dominant},
                       ReduceOp::sum);
  reduce<std::int64_t>(comm, {&facts.row_entries_max, &facts.lower_bandwidth, &facts.upper_bandwidth}, ReduceOp::max);
  reduce<std::int64_t>(comm, {&facts.row_entries_min}, ReduceOp::min);
  reduce<double>(comm, {&facts.norm_frobenius}, ReduceOp::sum);
  reduce<double>(comm, {&facts.norm_inf, &facts.max_abs, &facts.gershgorin_high}, ReduceOp::max);
  reduce<double>(comm, {&facts.gershgorin_low}, ReduceOp::min);
  facts.norm_frobenius = std::sqrt(facts.norm_frobenius);
  facts.rows = rows.n_rows;
  facts.cols = rows.n_cols;
  if (facts.rows == 0) facts.row_entries_min = 0, facts.gershgorin_low = facts.gershgorin_high = 0;
  return facts;
}

std::string definiteness(const MatrixFacts& facts, bool symmetric, std::int64_t components) {
  if (!symmetric || facts.rows == 0 || facts.not_finite > 0) return "unknown";
  const GlobalIndex n = facts.rows;
  const bool all_positive = facts.diagonal_positive == n, all_negative = facts.diagonal_negative == n;
  const std::string sign = all_positive ? "positive" : "negative";
  if (facts.diagonal_positive > 0 && facts.diagonal_negative > 0) return "indefinite: the diagonal has both signs";
  if (!all_positive && !all_negative) return "not definite: a diagonal entry is zero or missing";
  if (facts.strictly_dominant == n) return sign + " definite: every row is strictly diagonally dominant";
  if (facts.dominant == n && facts.strictly_dominant > 0 && components == 1)
    return sign + " definite: connected, diagonally dominant, strictly so in some rows";
  if (facts.dominant == n)
    return facts.zero_row_sums == n ? sign + " semidefinite and singular: all rows sum to zero"
                                    : sign + " semidefinite at least: every row is diagonally dominant";
  return "unknown: the diagonal is " + sign + ", but rows are not all diagonally dominant";
}

} // namespace atl::app
