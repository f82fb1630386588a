#pragma once

#include "job.hpp"

#include <atoll/comm/context.hpp>

namespace atl::app {

/// Refuses a job that would write over one of its own inputs, or write two outputs to one file: Error{usage}, before
/// anything is read. `convert` may replace its input, which is what converting in place means. Collective.
void refuse_clashes(const Context& context, const Job& job);

} // namespace atl::app
