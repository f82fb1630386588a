#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace atl::app {

/// Model problems of as many kinds as storage forms and kernels differ in, each of which is read, cut and measured in
/// about so many bytes of memory over all machines.
std::vector<std::string> bench_problems(std::int64_t bytes);

} // namespace atl::app
