#include "roofline_traffic.hpp"

#include <atoll/core/cg_sweep.hpp>

namespace atl::app {

namespace {

template <class T>
double matrix_bytes(const DSparseMatrix<T>& a) {
  return static_cast<double>(a.packed() ? a.split().owned.bytes() + a.split().halo.bytes() : a.local().bytes());
}

/// Rows in chunks whose diagonal is more than one number: there it must be read.
template <class T>
Offset rows_with_a_diagonal(const DSparseMatrix<T>& a, const DVector<T>& diagonal) {
  CgSweep<T> sweep(a.split(), 1);
  sweep.set_diagonal(diagonal.data());
  Offset rows = 0;
  for (std::size_t c = 0; c < sweep.uniform.size(); ++c)
    if (sweep.uniform[c] == 0) rows += a.split().owned.chunks()[c].rows;
  return rows;
}

} // namespace

template <class T>
Traffic product_traffic(const DSparseMatrix<T>& a, LocalIndex k) {
  const IndexMap& columns = *a.col_map();
  return {.read = matrix_bytes(a) + bytes_of_values<T>((Offset{columns.n_owned()} + columns.n_ghosts()) * k),
          .written = bytes_of_values<T>(Offset{a.row_map()->n_owned()} * k)};
}

template <class T>
Traffic cg_traffic(const DSparseMatrix<T>& a, const Preconditioner<T>& m) {
  const double vector = bytes_of_values<T>(a.row_map()->n_owned()),
               ghosts = bytes_of_values<T>(a.col_map()->n_ghosts());
  if (a.packed() && (m.is_identity() || m.diagonal())) {
    const double diagonal = m.diagonal() ? bytes_of_values<T>(rows_with_a_diagonal(a, *m.diagonal())) : 0;
    return {.read = matrix_bytes(a) + diagonal + 3 * vector + 2 * ghosts, .updated = 3 * vector + ghosts};
  }
  Traffic traffic = product_traffic(a);                                                          // w = A u
  if (!m.is_identity()) traffic += {.read = (m.diagonal() ? 2 : 1) * vector, .written = vector}; // u = M^-1 r
  traffic += {.read = 3 * vector};                                                               // dots of r, u, w
  traffic += {.read = 6 * vector, .updated = 4 * vector};                                        // p, s, x, r
  return traffic;
}

template <class T>
Traffic method_traffic(const std::string& method, const DSparseMatrix<T>& a, const Preconditioner<T>& m) {
  if (method != "cg-textbook" && method != "cg-pipelined") return cg_traffic(a, m);
  const double vector = bytes_of_values<T>(a.row_map()->n_owned());
  Traffic traffic = product_traffic(a);
  traffic += {.read = (m.diagonal() ? 2 : 1) * vector, .written = vector}; // u = M^-1 r
  if (method == "cg-pipelined") {
    traffic += {.read = 10 * vector, .updated = 8 * vector}; // the update with its dots
  } else {
    traffic += {.read = (2 + 2) * vector};                                      // dots of r, u and of p, w
    traffic += {.read = (2 + 2 + 2) * vector, .updated = (1 + 1 + 1) * vector}; // p; x; r
  }
  return traffic;
}

template Traffic product_traffic(const DSparseMatrix<float>&, LocalIndex);
template Traffic product_traffic(const DSparseMatrix<double>&, LocalIndex);
template Traffic cg_traffic(const DSparseMatrix<float>&, const Preconditioner<float>&);
template Traffic cg_traffic(const DSparseMatrix<double>&, const Preconditioner<double>&);
template Traffic method_traffic(const std::string&, const DSparseMatrix<float>&, const Preconditioner<float>&);
template Traffic method_traffic(const std::string&, const DSparseMatrix<double>&, const Preconditioner<double>&);

} // namespace atl::app
