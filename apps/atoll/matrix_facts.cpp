#include "matrix_facts.hpp"

#include <atoll/partition/routing.hpp>
#include <atoll/solvers/components.hpp>
#include <atoll/solvers/null_space.hpp>

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

namespace {

std::vector<GlobalIndex> foreign_columns(const RowBlock<double>& rows) {
  std::vector<GlobalIndex> foreign;
  for (GlobalIndex c : rows.column)
    if (c < rows.row_begin || c >= rows.row_end()) foreign.push_back(c);
  std::sort(foreign.begin(), foreign.end());
  foreign.erase(std::unique(foreign.begin(), foreign.end()), foreign.end());
  return foreign;
}

/// Takes rows out of a square matrix that have no entry in the row and none in the column, with their columns.
class EmptyRowRemoval {
 public:
  EmptyRowRemoval(const Context& context, RowBlock<double>&& rows)
      : comm_(context.comm), rows_(std::move(rows)), used_(static_cast<std::size_t>(rows_.rows()), false) {}

  /// Collective. Matrices that have few such rows stay as they are.
  RowBlock<double> run() {
    std::vector<GlobalIndex> foreign = foreign_columns(rows_);
    const RowRanges ranges(*comm_, rows_.row_begin);
    const auto asked = route(comm_, foreign, [&](GlobalIndex column) { return ranges.owner(column); });
    mark(asked.items);
    const GlobalIndex kept =
        comm_->all_reduce(std::int64_t{std::count(used_.begin(), used_.end(), true)}, ReduceOp::sum);
    if (2 * kept > rows_.n_rows) return std::move(rows_);
    removed_ = rows_.n_rows - kept;
    return squeeze(kept, foreign, asked);
  }
  GlobalIndex removed() const { return removed_; }

 private:
  std::size_t local(GlobalIndex index) const { return static_cast<std::size_t>(index - rows_.row_begin); }
  bool is_here(GlobalIndex index) const { return index >= rows_.row_begin && index < rows_.row_end(); }

  void mark(const std::vector<GlobalIndex>& asked) {
    for (std::size_t i = 0; i < used_.size(); ++i)
      if (rows_.offsets[i] != rows_.offsets[i + 1]) used_[i] = true;
    for (GlobalIndex c : rows_.column)
      if (is_here(c)) used_[local(c)] = true;
    for (GlobalIndex c : asked) used_[local(c)] = true;
  }

  RowBlock<double> squeeze(GlobalIndex kept, const std::vector<GlobalIndex>& foreign,
                           const Routed<GlobalIndex>& asked) {
    std::vector<LocalIndex> row; // those kept here
    RowBlock<double> result{kept, kept, 0, {0}, std::move(rows_.column), std::move(rows_.value)};
    for (std::size_t i = 0; i < used_.size(); ++i) {
      if (!used_[i]) continue;
      row.push_back(static_cast<LocalIndex>(i));
      result.offsets.push_back(rows_.offsets[i + 1]);
    }
    result.row_begin = comm_->exclusive_sum(std::ssize(row));
    const auto number = [&](GlobalIndex index) {
      const auto place = std::lower_bound(row.begin(), row.end(), static_cast<LocalIndex>(local(index)));
      return result.row_begin + (place - row.begin());
    };
    std::vector<GlobalIndex> answers;
    for (GlobalIndex c : asked.items) answers.push_back(number(c));
    const std::vector<GlobalIndex> foreign_number = exchange_back<GlobalIndex>(asked.plan, answers);
    for (GlobalIndex& c : result.column) {
      if (is_here(c))
        c = number(c);
      else
        c = foreign_number[static_cast<std::size_t>(std::lower_bound(foreign.begin(), foreign.end(), c) -
                                                    foreign.begin())];
    }
    return result;
  }

  CommunicatorPtr comm_;
  RowBlock<double> rows_;
  std::vector<bool> used_;
  GlobalIndex removed_ = 0;
};

} // namespace

MatrixStructure find_structure(const Context& context, RowBlock<double>&& rows) {
  EmptyRowRemoval removal(context, std::move(rows));
  const auto a = DSparseMatrix<double>::from_rows(context, removal.run());
  MatrixStructure structure;
  structure.symmetry = check_symmetry(a);
  // A row taken out is a component of its own, with no entry whose sum could be zero.
  if (structure.symmetry.pattern) structure.components = ComponentFinder<double>(a).count() + removal.removed();
  if (structure.symmetry.values) structure.null_space = NullSpace<double>::find(a).dimension();
  return structure;
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
