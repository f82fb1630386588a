#pragma once

#include <string_view>

namespace atl::app {

/// Whether rank 0 shows progress on its standard error: "always", "never", or with "auto" where that is a terminal, by
/// itself or by way of mpirun. Then it is a pipe, which mpirun copies to its own standard error. Local.
bool shows_progress(std::string_view wish);

} // namespace atl::app
