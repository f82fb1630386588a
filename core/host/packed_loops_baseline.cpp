#define ATOLL_LOOPS baseline
#include <atoll/core/host/packed_loops_body.hpp>
