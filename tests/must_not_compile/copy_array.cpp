// expect: use of deleted function
// A copy of an Array is spelt clone().
#include <atoll/core/array.hpp>

atl::Array<double> twice(const atl::Array<double>& a) {
#ifdef WRONG
  return a;
#else
  return a.clone();
#endif
}
