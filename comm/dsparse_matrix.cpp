#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/core/kernels.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace atl {
namespace {

[[noreturn]] void throw_shape(const char* operation, const char* argument, GlobalIndex seen, GlobalIndex expected) {
  throw Error(ErrorKind::usage, std::string(operation) + ": " + argument + " has " + std::to_string(seen) +
                                    " rows or another distribution, expected " + std::to_string(expected) +
                                    " distributed as the matrix is: make it with make_row_vector() or "
                                    "make_col_vector()");
}

bool same_owned(const IndexMap& a, const IndexMap& b) {
  return a.global_size() == b.global_size() && a.owned_begin() == b.owned_begin() && a.n_owned() == b.n_owned();
}

} // namespace

template <class T>
void DSparseMatrix<T>::require_columns(const char* operation, const DVector<T>& x) const {
  // Ghosts must be this matrix's own: same map, or one that lists the same ghosts.
  const IndexMap& map = *x.map();
  if (x.map() == col_map_) return;
  if (!same_owned(map, *col_map_) || !std::ranges::equal(map.ghosts(), col_map_->ghosts()))
    throw_shape(operation, "the argument", map.global_size(), cols());
}

template <class T>
void DSparseMatrix<T>::require_rows(const char* operation, const DVector<T>& y) const {
  if (!same_owned(*y.map(), *row_map_)) throw_shape(operation, "a vector over rows", y.map()->global_size(), rows());
}

template <class T>
void DSparseMatrix<T>::multiply(DVector<T>& x, DVector<T>& y) const {
  require_columns("multiply", x);
  require_rows("multiply", y);
  if (x.columns() != y.columns()) throw_shape("multiply", "a block of vectors", x.columns(), y.columns());
  auto& kernels = context_.executor->template kernels<T>();
  auto halo = halo_->start_forward(x);
  kernels.csr_multiply(local_.view(), 0, n_interior_, x.columns(), x.data(), y.data());
  halo.finish();
  kernels.csr_multiply(local_.view(), n_interior_, local_.rows, x.columns(), x.data(), y.data());
}

template <class T>
void DSparseMatrix<T>::residual(DVector<T>& x, const DVector<T>& b, DVector<T>& r) const {
  require_columns("residual", x);
  require_rows("residual", b);
  require_rows("residual", r);
  auto& kernels = context_.executor->template kernels<T>();
  auto halo = halo_->start_forward(x);
  kernels.csr_residual(local_.view(), 0, n_interior_, x.data(), b.data(), r.data());
  halo.finish();
  kernels.csr_residual(local_.view(), n_interior_, local_.rows, x.data(), b.data(), r.data());
}

template <class T>
void DSparseMatrix<T>::multiply_transposed(const DVector<T>& y, DVector<T>& x) const {
  require_columns("multiply_transposed", x);
  require_rows("multiply_transposed", y);
  if (x.columns() != y.columns()) throw_shape("multiply_transposed", "a block of vectors", x.columns(), y.columns());
  auto& kernels = context_.executor->template kernels<T>();
  x.fill(T{0});
  kernels.csr_multiply_transposed(local_.view(), x.columns(), y.data(), x.data());
  halo_->reverse(x);
}

template <class T>
DVector<T> DSparseMatrix<T>::diagonal() const {
  if (rows() != cols()) throw_shape("diagonal", "the matrix", cols(), rows());
  DVector<T> d = make_row_vector();
  context_.executor->template kernels<T>().csr_diagonal(local_.view(), d.data());
  return d;
}

template <class T>
DVector<T> DSparseMatrix<T>::row_sums() const {
  DVector<T> sums = make_row_vector();
  context_.executor->template kernels<T>().csr_row_sums(local_.view(), sums.data());
  return sums;
}

template <class T>
DVector<T> DSparseMatrix<T>::row_abs_sums() const {
  DVector<T> sums = make_row_vector();
  context_.executor->template kernels<T>().csr_row_abs_sums(local_.view(), sums.data());
  return sums;
}

template <class T>
double DSparseMatrix<T>::norm_frobenius() const {
  // Scaled by the largest entry, so that squares neither overflow nor vanish.
  const std::vector<T> values = local_.value.to_host();
  double largest = 0;
  for (const T v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  largest = context_.comm->all_reduce(largest, ReduceOp::max);
  if (largest == 0) return 0;
  double sum = 0;
  for (const T v : values) sum += (static_cast<double>(v) / largest) * (static_cast<double>(v) / largest);
  return largest * std::sqrt(context_.comm->all_reduce(sum, ReduceOp::sum));
}

template <class T>
double DSparseMatrix<T>::norm_inf() const {
  double largest = 0;
  for (const T sum : row_abs_sums().owned_to_host()) largest = std::max(largest, static_cast<double>(sum));
  return context_.comm->all_reduce(largest, ReduceOp::max);
}

template <class T>
void DSparseMatrix<T>::update_values(std::span<const T> values) {
  if (std::ssize(values) != std::ssize(position_))
    throw Error(ErrorKind::usage, "update_values: " + std::to_string(values.size()) + " values given, " +
                                      std::to_string(position_.size()) +
                                      " expected, as many as the rows that made the matrix had, in their order" +
                                      (position_.empty() ? " (make it with Options::keep_positions)" : ""));
  const std::span<T> target = staged_values_.empty() ? local_.value.host() : std::span<T>(staged_values_);
  std::fill(target.begin(), target.end(), T{0});
  for (std::size_t e = 0; e < values.size(); ++e) target[static_cast<std::size_t>(position_[e])] += values[e];
  if (!staged_values_.empty()) local_.value.copy_from(staged_values_);
}

template <class T>
RowBlock<T> DSparseMatrix<T>::to_rows() const {
  const auto row_begin = local_.row_begin.to_host();
  const auto column = local_.column.to_host();
  const auto value = local_.value.to_host();
  const auto row_index = local_.row_index.to_host();
  RowBlock<T> block;
  block.n_rows = rows();
  block.n_cols = cols();
  block.row_begin = row_map_->owned_begin();
  block.offsets.assign(static_cast<std::size_t>(local_.rows) + 1, 0);
  const auto local_row = [&](LocalIndex s) { return row_index.empty() ? s : row_index[s]; };
  for (LocalIndex s = 0; s < local_.rows; ++s) block.offsets[local_row(s) + 1] = row_begin[s + 1] - row_begin[s];
  std::partial_sum(block.offsets.begin(), block.offsets.end(), block.offsets.begin());
  block.column.resize(column.size());
  block.value.resize(value.size());
  for (LocalIndex s = 0; s < local_.rows; ++s) {
    Offset out = block.offsets[local_row(s)];
    for (Offset e = row_begin[s]; e < row_begin[s + 1]; ++e, ++out) {
      block.column[out] = col_map_->to_global(column[e]);
      block.value[out] = value[e];
    }
  }
  sort_rows(block);
  return block;
}

template <class T>
std::size_t DSparseMatrix<T>::bytes() const {
  return local_.bytes() + row_map_->bytes() + col_map_->bytes() + halo_->plan()->bytes() + halo_->bytes() +
         position_.capacity() * sizeof(Offset) + staged_values_.capacity() * sizeof(T);
}

template class DSparseMatrix<float>;
template class DSparseMatrix<double>;

} // namespace atl
