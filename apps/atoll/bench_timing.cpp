#include "bench_timing.hpp"

#include <atoll/core/timer.hpp>

#include <algorithm>
#include <cmath>

namespace atl::app {

namespace {

constexpr double least_sample_seconds = 2e-4; // well above the clock's grain and the spread of a barrier's end
constexpr double most_inner = 10000, least_repetitions = 3, most_repetitions = 1000;

/// Seconds of this rank for `inner` runs of the work.
double sample(const Context& context, int inner, const std::function<void()>& work) {
  context.comm->barrier();
  const Timer timer;
  for (int i = 0; i < inner; ++i) work();
  context.executor->synchronize();
  return timer.seconds();
}

/// The same on all ranks.
double slowest(const Context& context, double seconds) { return context.comm->all_reduce(seconds, ReduceOp::max); }

} // namespace

double median_seconds(const Context& context, double budget, const std::function<void()>& work) {
  sample(context, 1, work); // touches pages, fills buffers
  const double once = std::max(1e-9, slowest(context, sample(context, 1, work)));
  const int inner = static_cast<int>(std::clamp(std::ceil(least_sample_seconds / once), 1.0, most_inner));
  const double seconds = std::max(1e-9, slowest(context, sample(context, inner, work)));
  const double repetitions = std::clamp(std::floor(budget / seconds), least_repetitions, most_repetitions);

  std::vector<double> samples(static_cast<std::size_t>(repetitions));
  for (double& s : samples) s = sample(context, inner, work);
  context.comm->all_reduce(std::span<double>(samples), ReduceOp::max);
  const auto middle = samples.begin() + std::ssize(samples) / 2;
  std::nth_element(samples.begin(), middle, samples.end());
  return *middle / inner;
}

} // namespace atl::app
