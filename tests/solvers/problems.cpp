#include "problems.hpp"

#include <atoll/solvers/registry.hpp>

#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <Eigen/Dense>

#include <cmath>

namespace atl::test {
namespace {

template <class T>
std::shared_ptr<const DSparseMatrix<T>> make_matrix(const Context& context, GlobalIndex n, const Entry& entry,
                                                    std::uint64_t seed) {
  const auto ranges = random_ranges(n, context.size(), seed);
  RowBlock<T> block;
  block.n_rows = block.n_cols = n;
  block.row_begin = ranges[context.rank()];
  for (GlobalIndex i = block.row_begin; i < ranges[context.rank() + 1]; ++i) {
    for (GlobalIndex j = 0; j < n; ++j) {
      if (const double value = entry(i, j); value != 0) {
        block.column.push_back(j);
        block.value.push_back(static_cast<T>(value));
      }
    }
    block.offsets.push_back(std::ssize(block.column));
  }
  return std::make_shared<const DSparseMatrix<T>>(DSparseMatrix<T>::from_rows(context, std::move(block)));
}

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const Eigen::VectorXd> vector(const std::vector<double>& v) { return {v.data(), std::ssize(v)}; }

Eigen::Map<const Matrix> square(const std::vector<double>& a, const std::vector<double>& b) {
  return {a.data(), std::ssize(b), std::ssize(b)};
}

std::vector<double> to_std(const Eigen::VectorXd& v) { return {v.begin(), v.end()}; }

} // namespace

template <class T>
System<T>::System(const Context& context_in, GlobalIndex n, const Entry& entry,
                  const std::function<double(GlobalIndex)>& rhs, std::uint64_t seed)
    : context(context_in), a(make_matrix<T>(context, n, entry, seed)), op(a), b(a->make_row_vector()),
      x(a->make_col_vector()) {
  for (GlobalIndex i = 0; i < n; ++i) {
    for (GlobalIndex j = 0; j < n; ++j) dense_a.push_back(static_cast<double>(static_cast<T>(entry(i, j))));
    dense_b.push_back(static_cast<double>(static_cast<T>(rhs(i))));
  }
  std::vector<T> owned;
  for (GlobalIndex i = a->row_map()->owned_begin(); i < a->row_map()->owned_end(); ++i)
    owned.push_back(static_cast<T>(rhs(i)));
  b.set_owned(owned);
}

template <class T>
SolveResult System<T>::solve(const char* preconditioner, CgVariant variant, const Stopping& stopping,
                             const NullSpace<T>& null_space) {
  const auto m = make_preconditioner<T>(preconditioner);
  m->setup(*a);
  return Cg<T>(variant).solve(op, *m, b, x, stopping, null_space);
}

template <class T>
std::vector<double> System<T>::answer() const {
  const auto all = gather(*context.comm, x.owned_to_host());
  return {all.begin(), all.end()};
}

template <class T>
double System<T>::dense_relative_residual() const {
  const auto whole = answer();
  const Eigen::VectorXd r = vector(dense_b) - square(dense_a, dense_b) * vector(whole);
  return r.norm() / vector(dense_b).norm();
}

std::vector<double> dense_solve(const std::vector<double>& a, const std::vector<double>& b) {
  return to_std(Eigen::FullPivLU<Matrix>(square(a, b)).solve(vector(b)));
}

std::vector<double> least_norm_solve(const std::vector<double>& a, const std::vector<double>& b) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
  factors.setThreshold(1e-10);
  factors.compute(square(a, b));
  return to_std(factors.solve(vector(b)));
}

double relative_distance(const std::vector<double>& x, const std::vector<double>& y) {
  return (vector(x) - vector(y)).norm() / vector(y).norm();
}

Entry poisson1d() {
  return [](GlobalIndex i, GlobalIndex j) { return i == j ? 2.0 : std::abs(i - j) == 1 ? -1.0 : 0.0; };
}

Entry neumann_chains(GlobalIndex n, GlobalIndex chains) {
  return [=](GlobalIndex i, GlobalIndex j) {
    if (std::abs(i - j) == chains) return -1.0;
    if (i != j) return 0.0;
    return (i >= chains ? 1.0 : 0.0) + (i + chains < n ? 1.0 : 0.0);
  };
}

template struct System<float>;
template struct System<double>;

} // namespace atl::test
