// expect: ignoring return value
// An exchange that is started must be finished by the one who started it.
#include <atoll/comm/halo_exchange.hpp>

void exchange(atl::HaloExchange<double>& halo, atl::DVector<double>& x) {
#ifdef WRONG
  halo.start_forward(x);
#else
  halo.start_forward(x).finish();
#endif
}
