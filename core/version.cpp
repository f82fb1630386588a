#include <atoll/core/version.hpp>

namespace atl {

const char* atoll_version() { return ATOLL_VERSION; }

} // namespace atl
