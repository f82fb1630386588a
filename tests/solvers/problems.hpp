#pragma once
/// Small systems for tests of solvers, on random row ranges, with dense answers by Eigen.

#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/solvers/krylov/cg.hpp>

#include <functional>

namespace atl::test {

/// Entry (i, j) of a matrix by formula; 0 stores nothing.
using Entry = std::function<double(GlobalIndex i, GlobalIndex j)>;

/// A distributed system A x = b with everything that a solve needs.
template <class T>
struct System {
  /// Rows on random ranges of the seed. b is given by row number.
  System(const Context& context, GlobalIndex n, const Entry& entry, const std::function<double(GlobalIndex)>& rhs,
         std::uint64_t seed = 1);

  SolveResult solve(const char* preconditioner = "jacobi", CgVariant variant = CgVariant::single_reduction,
                    const Stopping& stopping = {.rtol = 1e-10}, const NullSpace<T>& null_space = {});
  /// The whole answer on every rank.
  std::vector<double> answer() const;
  /// ||b - A x|| / ||b|| computed densely in double.
  double dense_relative_residual() const;

  Context context;
  std::vector<double> dense_a, dense_b; ///< the whole of A (row-major) and b
  std::shared_ptr<const DSparseMatrix<T>> a;
  MatrixOperator<T> op;
  DVector<T> b, x;
};

/// A x = b by Eigen's LU with full pivoting on the dense matrix.
std::vector<double> dense_solve(const std::vector<double>& a, const std::vector<double>& b);
/// The answer of least norm, by Eigen's complete orthogonal decomposition.
std::vector<double> least_norm_solve(const std::vector<double>& a, const std::vector<double>& b);
double relative_distance(const std::vector<double>& x, const std::vector<double>& y);

/// tridiag(-1, 2, -1): eigenvalues 2 - 2 cos(k pi / (n + 1)).
Entry poisson1d();
/// The graph Laplacian of `chains` separate chains, row i in chain i mod chains: one constant null vector a
/// chain.
Entry neumann_chains(GlobalIndex n, GlobalIndex chains);

} // namespace atl::test
