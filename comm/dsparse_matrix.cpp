#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/comm/row_reader.hpp>
#include <atoll/core/kernels.hpp>

#include <algorithm>
#include <cmath>

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
  if (packed_) {
    kernels.packed_multiply(split_.owned, x.columns(), x.data(), y.data());
    halo.finish();
    return kernels.csr_multiply_add(split_.halo.view(), T{1}, x.columns(), x.data(), y.data());
  }
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
  if (packed_) {
    kernels.packed_residual(split_.owned, x.data(), b.data(), r.data());
    halo.finish();
    return kernels.csr_multiply_add(split_.halo.view(), T{-1}, 1, x.data(), r.data());
  }
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
  if (packed_) {
    ChunkRows<T> rows;
    for (std::size_t c = 0; c < split_.owned.chunks().size(); ++c) {
      split_.owned.unpack(c, rows);
      const Offset first = split_.owned.chunks()[c].first;
      CsrView<T> view = rows.view(split_.owned.columns());
      view.ascending = split_.halo.ascending;
      kernels.csr_multiply_transposed(view, x.columns(), y.data() + first * y.columns(), x.data());
    }
    kernels.csr_multiply_transposed(split_.halo.view(), x.columns(), y.data(), x.data());
  } else {
    kernels.csr_multiply_transposed(local_.view(), x.columns(), y.data(), x.data());
  }
  halo_->reverse(x);
}

namespace {

/// One number a row, from its columns and values.
template <class T, class Figure>
DVector<T> row_figures(const DSparseMatrix<T>& a, const Figure& figure) {
  DVector<T> result = a.make_row_vector();
  RowReader<T> reader(a);
  const std::span<T> out = result.owned_host();
  reader.for_rows([&](LocalIndex r, std::span<const LocalIndex> columns, std::span<const T> values) {
    out[static_cast<std::size_t>(r)] = figure(r, columns, values);
  });
  return result;
}

} // namespace

template <class T>
DVector<T> DSparseMatrix<T>::diagonal() const {
  if (rows() != cols()) throw_shape("diagonal", "the matrix", cols(), rows());
  if (packed_)
    return row_figures(*this, [](LocalIndex r, std::span<const LocalIndex> columns, std::span<const T> values) {
      const auto found = std::ranges::find(columns, r);
      return found == columns.end() ? T{0} : values[static_cast<std::size_t>(found - columns.begin())];
    });
  DVector<T> d = make_row_vector();
  context_.executor->template kernels<T>().csr_diagonal(local_.view(), d.data());
  return d;
}

template <class T>
DVector<T> DSparseMatrix<T>::row_sums() const {
  if (packed_)
    return row_figures(*this, [](LocalIndex, std::span<const LocalIndex>, std::span<const T> values) {
      Accumulator<T> sum = 0;
      for (const T v : values) sum += v;
      return static_cast<T>(sum);
    });
  DVector<T> sums = make_row_vector();
  context_.executor->template kernels<T>().csr_row_sums(local_.view(), sums.data());
  return sums;
}

template <class T>
DVector<T> DSparseMatrix<T>::row_abs_sums() const {
  if (packed_)
    return row_figures(*this, [](LocalIndex, std::span<const LocalIndex>, std::span<const T> values) {
      Accumulator<T> sum = 0;
      for (const T v : values) sum += std::abs(v);
      return static_cast<T>(sum);
    });
  DVector<T> sums = make_row_vector();
  context_.executor->template kernels<T>().csr_row_abs_sums(local_.view(), sums.data());
  return sums;
}

template <class T>
double DSparseMatrix<T>::norm_frobenius() const {
  // Scaled by the largest entry, so that squares neither overflow nor vanish.
  RowReader<T> reader(*this);
  double largest = 0, sum = 0;
  reader.for_rows([&](LocalIndex, std::span<const LocalIndex>, std::span<const T> values) {
    for (const T v : values) largest = std::max(largest, std::abs(static_cast<double>(v)));
  });
  largest = context_.comm->all_reduce(largest, ReduceOp::max);
  if (largest == 0) return 0;
  reader.for_rows([&](LocalIndex, std::span<const LocalIndex>, std::span<const T> values) {
    for (const T v : values) sum += (static_cast<double>(v) / largest) * (static_cast<double>(v) / largest);
  });
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
  const std::span<T> target = packed_                  ? split_.owned.values()
                              : staged_values_.empty() ? local_.value.host()
                                                       : std::span<T>(staged_values_);
  const std::span<T> halo = packed_ ? split_.halo.value.host() : std::span<T>();
  const auto place = [&](Offset position) -> T& { return position < 0 ? halo[-1 - position] : target[position]; };
  // Only places of entries: padding of a packed matrix stays zero.
  for (const Offset position : position_) place(position) = T{0};
  for (std::size_t e = 0; e < values.size(); ++e) place(position_[e]) += values[e];
  if (!staged_values_.empty()) local_.value.copy_from(staged_values_);
}

template <class T>
RowBlock<T> DSparseMatrix<T>::to_rows() const {
  RowBlock<T> block;
  block.n_rows = rows();
  block.n_cols = cols();
  block.row_begin = row_map_->owned_begin();
  const auto n_entries = static_cast<std::size_t>(packed_ ? split_.entries() : local_.entries());
  block.column.reserve(n_entries);
  block.value.reserve(n_entries);
  RowReader<T> reader(*this);
  reader.for_rows([&](LocalIndex, std::span<const LocalIndex> columns, std::span<const T> values) {
    for (const LocalIndex c : columns) block.column.push_back(col_map_->to_global(c));
    block.value.insert(block.value.end(), values.begin(), values.end());
    block.offsets.push_back(block.entries());
  });
  sort_rows(block);
  return block;
}

template <class T>
std::size_t DSparseMatrix<T>::bytes() const {
  return split_.bytes() + local_.bytes() + row_map_->bytes() + col_map_->bytes() + halo_->plan()->bytes() +
         halo_->bytes() + position_.capacity() * sizeof(Offset) + staged_values_.capacity() * sizeof(T);
}

template class DSparseMatrix<float>;
template class DSparseMatrix<double>;

} // namespace atl
