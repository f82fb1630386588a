#define ATOLL_LOOPS v3
#include <atoll/core/host/packed_loops_body.hpp>
