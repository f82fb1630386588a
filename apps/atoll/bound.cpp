#include "bound.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace atl::app {

namespace {

/// Local work that reaches this share of memory's bandwidth is bound by it.
constexpr double streams_well = 0.6;

double imbalance(const IterationSplit& split) { return std::max(0.0, split.local_slowest - split.local_mean); }
double latency(const IterationSplit& split) { return split.reductions + split.halo_latency; }
double volume(const IterationSplit& split) { return split.halo - split.halo_latency; }

const char* phrase(Bound bound) {
  switch (bound) {
  case Bound::bandwidth:
    return "memory bandwidth";
  case Bound::compute:
    return "arithmetic and caches, not by memory";
  case Bound::imbalance:
    return "imbalance: ranks wait for one another";
  case Bound::latency:
    return "latency: the number of messages and reductions";
  case Bound::partition:
    return "the partition: the volume of its halo";
  }
  return "";
}

} // namespace

std::string_view to_string(Bound bound) {
  constexpr std::string_view names[] = {"bandwidth", "compute", "imbalance", "latency", "partition"};
  return names[static_cast<std::size_t>(bound)];
}

std::optional<Bound> bound_of(const IterationSplit& split) {
  const double most = std::max({split.local_mean, imbalance(split), latency(split), volume(split)});
  if (most == split.local_mean) {
    if (!split.least) return std::nullopt;
    return *split.least >= streams_well * split.local_mean ? Bound::bandwidth : Bound::compute;
  }
  if (most == imbalance(split)) return Bound::imbalance;
  return most == latency(split) ? Bound::latency : Bound::partition;
}

std::string explain_bound(const IterationSplit& split) {
  const double whole = split.seconds > 0 ? split.seconds : 1;
  const auto percent = [&](double part) { return fmt::format("{:.0f} %", 100 * part / whole); };
  const std::optional<Bound> bound = bound_of(split);
  std::string text = fmt::format("bound by {}", bound ? phrase(*bound) : "local work");
  text += fmt::format(" ({} of the time is local work", percent(split.local_mean));
  if (split.least && split.local_mean > 0)
    text += fmt::format(" at {:.0f} % of the bandwidth", 100 * *split.least / split.local_mean);
  const std::pair<const char*, double> others[] = {
      {"imbalance", imbalance(split)}, {"halo", split.halo}, {"reductions", split.reductions}};
  for (const auto& [name, seconds] : others)
    if (seconds >= 0.005 * whole) text += fmt::format(", {} {}", percent(seconds), name);
  return text + ")";
}

} // namespace atl::app
