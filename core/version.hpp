#pragma once

#include <atoll/core/export.hpp>

namespace atl {

/// The library's version: "major.minor.patch".
ATOLL_API const char* atoll_version();

} // namespace atl
