#pragma once

#include <atoll/core/export.hpp>

#include <cstdint>

namespace atl {

/// The most memory that this process ever had resident, in bytes; 0 where the system does not tell.
ATOLL_API std::int64_t peak_resident_bytes();
/// What is resident now.
ATOLL_API std::int64_t current_resident_bytes();

/// Large blocks go back to the system as soon as they are freed, so that peaks of different phases do not add up
/// (glibc otherwise raises its threshold with every large block that is freed). For main() functions; process-wide.
ATOLL_API void return_freed_memory();

} // namespace atl
