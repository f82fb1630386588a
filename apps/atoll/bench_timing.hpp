#pragma once

#include <atoll/comm/context.hpp>

#include <functional>

namespace atl::app {

/// How long `work` takes when all ranks begin it together: the median over repetitions of the slowest rank's time, in
/// seconds. Warms up first; then at least 3 repetitions, and about as many as `budget` seconds hold. Work of some
/// microseconds is repeated within each. `work` may communicate; it must do the same each time. Collective.
double median_seconds(const Context& context, double budget, const std::function<void()>& work);

} // namespace atl::app
