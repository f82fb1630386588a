// expect: use of deleted function
// A matrix is moved or shared, never copied by accident.
#include <atoll/comm/dsparse_matrix.hpp>

#include <utility>

atl::DSparseMatrix<double> take(atl::DSparseMatrix<double>& a) {
#ifdef WRONG
  return a;
#else
  return std::move(a);
#endif
}
