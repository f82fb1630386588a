#pragma once

#include <atoll/core/export.hpp>

#include <cstdint>

namespace atl {

/// The most memory that this process ever had resident, in bytes; 0 where the system does not tell.
ATOLL_API std::int64_t peak_resident_bytes();
/// What is resident now.
ATOLL_API std::int64_t current_resident_bytes();

} // namespace atl
