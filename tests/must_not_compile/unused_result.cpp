// expect: ignoring returned value
// A status that cannot be missed.
#include <atoll/solvers/krylov/cg.hpp>

bool solve(atl::Cg<double>& cg, atl::LinearOperator<double>& a, atl::Preconditioner<double>& m,
           const atl::DVector<double>& b, atl::DVector<double>& x) {
#ifdef WRONG
  cg.solve(a, m, b, x, {});
  return true;
#else
  return cg.solve(a, m, b, x, {}).converged();
#endif
}
