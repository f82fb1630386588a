#include <atoll/comm/exact_reduction.hpp>
#include <atoll/solvers/components.hpp>
#include <atoll/solvers/null_space.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

/// For each piece: 1 where all its rows have entries that sum to zero up to rounding, else 0.
template <class T>
std::vector<double> sums_to_zero(const DSparseMatrix<T>& a, const ComponentFinder<T>& finder) {
  const std::vector<T> sums = a.row_sums().owned_to_host(), sizes = a.row_abs_sums().owned_to_host();
  constexpr double tolerance = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<double> zero(static_cast<std::size_t>(finder.n_pieces()), 1);
  for (std::size_t r = 0; r < sums.size(); ++r) {
    const bool row_is_zero =
        sizes[r] > T{0} && std::abs(static_cast<double>(sums[r])) <= tolerance * static_cast<double>(sizes[r]);
    if (!row_is_zero) zero[finder.piece()[r]] = 0;
  }
  return zero;
}

/// Whether piece p is the one that holds the smallest row of its component.
template <class T>
bool holds_label(const DSparseMatrix<T>& a, const ComponentFinder<T>& finder, std::size_t p) {
  const auto row = static_cast<GlobalIndex>(finder.label()[p]);
  return a.row_map()->owns(row) &&
         finder.piece()[static_cast<std::size_t>(row - a.row_map()->owned_begin())] == static_cast<LocalIndex>(p);
}

} // namespace

template <class T>
NullSpace<T> NullSpace<T>::find(const DSparseMatrix<T>& a) {
  NullSpace space;
  Communicator& comm = *a.context().comm;
  ComponentFinder<T> finder(a);
  std::vector<double> floating = sums_to_zero(a, finder);
  finder.spread_minimum(floating);

  // Components that lie inside this rank are numbered here. One that reaches over ranks is numbered by the
  // piece that holds its smallest row, and the number travels to its other pieces.
  const std::size_t n = floating.size();
  std::vector<LocalIndex> number(n, -1);
  std::vector<double> shared_number(n, std::numeric_limits<double>::max());
  std::vector<std::size_t> numbered_here;
  for (std::size_t p = 0; p < n; ++p) {
    if (floating[p] == 0) continue;
    if (!finder.reaches_out(static_cast<LocalIndex>(p)))
      number[p] = narrow<LocalIndex>(space.n_inside_++);
    else if (holds_label(a, finder, p))
      numbered_here.push_back(p);
  }
  const std::int64_t first = comm.exclusive_sum(std::ssize(numbered_here));
  const std::int64_t n_shared = comm.all_reduce(std::int64_t{std::ssize(numbered_here)}, ReduceOp::sum);
  for (std::size_t i = 0; i < numbered_here.size(); ++i)
    shared_number[numbered_here[i]] = static_cast<double>(first + static_cast<std::int64_t>(i));
  finder.spread_minimum(shared_number);
  for (std::size_t p = 0; p < n; ++p)
    if (floating[p] != 0 && number[p] < 0)
      number[p] = narrow<LocalIndex>(space.n_inside_ + static_cast<std::int64_t>(shared_number[p]));

  space.dimension_ = n_shared + comm.all_reduce(space.n_inside_, ReduceOp::sum);
  if (space.dimension_ == 0) return {};
  space.comm_ = a.context().comm;
  for (const LocalIndex p : finder.piece()) space.component_.push_back(number[static_cast<std::size_t>(p)]);
  space.finish(a, n_shared);
  return space;
}

template <class T>
NullSpace<T> NullSpace<T>::constant(const DSparseMatrix<T>& a) {
  NullSpace space;
  if (a.rows() == 0) return space;
  space.dimension_ = 1;
  space.comm_ = a.context().comm;
  space.finish(a, 1);
  return space;
}

template <class T>
void NullSpace<T>::finish(const DSparseMatrix<T>& a, std::int64_t n_shared) {
  const auto rows = static_cast<std::size_t>(a.row_map()->n_owned());
  sums_.assign(static_cast<std::size_t>(n_inside_ + n_shared) + 1, 0);
  count_.assign(sums_.size() - 1, 0);
  for (std::size_t r = 0; r < rows; ++r)
    if (const LocalIndex c = component(r); c >= 0) count_[static_cast<std::size_t>(c)] += 1;
  comm_->all_reduce(std::span(count_).subspan(static_cast<std::size_t>(n_inside_)), ReduceOp::sum);
  if (!a.context().executor->host_accessible()) host_.resize(rows);
}

template <class T>
void NullSpace<T>::set_reproducible() {
  exact_.resize(count_.size());
}

/// Sums of the components' values on this rank; those of components inside the rank are final.
template <class T>
void NullSpace<T>::sum_components(std::span<const T> values) const {
  std::fill(sums_.begin(), sums_.end(), 0);
  for (ExactSum& sum : exact_) sum.clear();
  for (std::size_t r = 0; r < values.size(); ++r) {
    const LocalIndex c = component(r);
    if (c < 0) continue;
    if (exact_.empty())
      sums_[static_cast<std::size_t>(c)] += static_cast<double>(values[r]);
    else
      exact_[static_cast<std::size_t>(c)].add(static_cast<double>(values[r]));
  }
  for (std::size_t c = 0; c < exact_.size(); ++c) sums_[c] = exact_[c].value();
}

template <class T>
void NullSpace<T>::reduce_shared(std::span<double> shared) const {
  comm_->all_reduce(shared, ReduceOp::sum);
  if (exact_.empty()) return;
  const auto inside = static_cast<std::size_t>(n_inside_);
  all_reduce_exact(*comm_, std::span(exact_).subspan(inside));
  for (std::size_t c = inside; c < exact_.size(); ++c) sums_[c] = exact_[c].value();
}

template <class T>
double NullSpace<T>::project(DVector<T>& x) const {
  if (dimension_ == 0) return 0;
  const bool direct = x.executor()->host_accessible();
  if (!direct) x.get_owned(host_);
  const std::span<T> values = direct ? x.owned_host() : std::span<T>(host_);

  sum_components(values);
  const auto shared = std::span(sums_).subspan(static_cast<std::size_t>(n_inside_));
  // The norm of what components inside the ranks lose rides on the sums of the others.
  for (std::int64_t c = 0; c < n_inside_; ++c) sums_.back() += sums_[c] * sums_[c] / count_[c];
  reduce_shared(shared);
  double removed = sums_.back();
  for (std::size_t c = static_cast<std::size_t>(n_inside_); c < count_.size(); ++c)
    removed += sums_[c] * sums_[c] / count_[c];

  for (std::size_t r = 0; r < values.size(); ++r)
    if (const LocalIndex c = component(r); c >= 0)
      values[r] -= static_cast<T>(sums_[static_cast<std::size_t>(c)] / count_[static_cast<std::size_t>(c)]);
  if (!direct) x.set_owned(host_);
  return std::sqrt(removed);
}

template class NullSpace<float>;
template class NullSpace<double>;

} // namespace atl
