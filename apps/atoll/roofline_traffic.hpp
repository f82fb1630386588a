#pragma once

#include "roofline.hpp"

#include <atoll/comm/dsparse_matrix.hpp>
#include <atoll/solvers/preconditioner.hpp>

namespace atl::app {

/// The bytes of n values of T.
template <class T>
double bytes_of_values(Offset n) {
  return static_cast<double>(n) * sizeof(T);
}

/// y = A x for k vectors, on this rank: the matrix as it is stored and x are read, ghosts too, y is written. Local, as all
/// here.
template <class T>
Traffic product_traffic(const DSparseMatrix<T>& a, LocalIndex k = 1);

/// One iteration of the default method, single-reduction conjugate gradients. On a packed matrix with a preconditioner
/// that is a diagonal, or none, that is one pass over memory, in which u, p and x are read and updated; else the passes
/// of product, preconditioner, dots and update. What other preconditioners move within themselves is not in it.
template <class T>
Traffic cg_traffic(const DSparseMatrix<T>& a, const Preconditioner<T>& m);
/// One iteration of a method by its name; those other than the default go pass by pass.
template <class T>
Traffic method_traffic(const std::string& method, const DSparseMatrix<T>& a, const Preconditioner<T>& m);

} // namespace atl::app
