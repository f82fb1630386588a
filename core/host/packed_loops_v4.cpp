#define ATOLL_LOOPS v4
#include <atoll/core/host/packed_loops_body.hpp>
