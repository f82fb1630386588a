#include "iteration_report.hpp"

#include "bound.hpp"
#include "network.hpp"

#include <atoll/core/options.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace atl::app {

namespace {

/// A measurement takes some tenths of a second, which shorter solves should not pay.
constexpr double long_solve_seconds = 0.5;
constexpr double giga = 1e9;

std::optional<Bandwidth> bandwidth_of(const Context& context, const std::string& wish, double solve_seconds) {
  if (const auto number = parse_real(wish)) return one_rate(*number * context.size(), context.size());
  if (wish == "auto" && solve_seconds < long_solve_seconds) return std::nullopt;
  return measure_bandwidth(context);
}

Traffic total(Communicator& comm, const Traffic& mine) {
  double sums[] = {mine.read, mine.written, mine.updated};
  comm.all_reduce(std::span<double>(sums), ReduceOp::sum);
  return {sums[0], sums[1], sums[2]};
}

/// Messages on one machine, and of slow networks, stay below so many times what the model says.
constexpr double slow_network = 20;
constexpr int most_reductions = 2; // of an iteration, in the textbook form

/// Messages cost what the rank waits that waits least, unless no network is that slow; all other waiting is for ranks.
IterationSplit split_of(const Context& context, const SolvedIterations& mine) {
  Communicator& comm = *context.comm;
  const double n = mine.iterations, local = mine.times.iterations - mine.times.halo - mine.times.reductions;
  const bool exchanges = mine.halo_messages > 0;
  double most[] = {mine.times.iterations / n,
                   local / n,
                   static_cast<double>(mine.halo_messages),
                   mine.halo_bytes,
                   -(exchanges ? mine.times.halo / n : std::numeric_limits<double>::max()),
                   -mine.times.reductions / n};
  comm.all_reduce(std::span<double>(most), ReduceOp::max);

  IterationSplit split;
  split.seconds = most[0];
  const Network network;
  split.halo = most[2] > 0 ? std::min(-most[4], slow_network * network.seconds(most[2], most[3])) : 0;
  split.reductions = std::min(-most[5], slow_network * most_reductions * network.reduction_seconds(context.size()));
  split.local_mean = comm.all_reduce(local / n, ReduceOp::sum) / context.size();
  split.local_slowest = std::max(most[1], split.seconds - split.halo - split.reductions);
  split.halo_latency = split.halo * network.latency_share(most[2], most[3]);
  return split;
}

void report_nothing(Report& report) {
  for (const char* key :
       {"seconds", "bytes", "gbytes_per_s", "bandwidth_gbytes_per_s", "fraction_of_bandwidth", "local_seconds_mean",
        "local_seconds_slowest", "halo_seconds", "reduction_seconds", "bound_by", "explanation"})
    report.set(fmt::format("iteration.{}", key), nullptr);
}

} // namespace

void report_iteration(Session& session, const std::string& bandwidth_wish, const SolvedIterations& mine) {
  const Context& context = session.context;
  Report& report = session.report;
  report_nothing(report);
  if (mine.iterations == 0) return;

  IterationSplit split = split_of(context, mine);
  const Traffic traffic = total(*context.comm, mine.traffic);
  const auto bandwidth = bandwidth_of(context, bandwidth_wish, split.seconds * mine.iterations);
  if (bandwidth) split.least = bandwidth->seconds(traffic);
  const double rate = traffic.bytes() / split.seconds / giga;
  report.set("iteration.seconds", split.seconds)
      .set("iteration.bytes", traffic.bytes())
      .set("iteration.gbytes_per_s", rate)
      .set("iteration.local_seconds_mean", split.local_mean)
      .set("iteration.local_seconds_slowest", split.local_slowest)
      .set("iteration.halo_seconds", split.halo)
      .set("iteration.reduction_seconds", split.reductions)
      .set("iteration.explanation", explain_bound(split));
  std::string text = fmt::format("{:.3g} ms, {} at {:.3g} GB/s", 1000 * split.seconds,
                                 readable_bytes(static_cast<std::int64_t>(traffic.bytes())), rate);
  if (bandwidth) {
    // The rate at which memory could move this mix of reads and writes.
    const double possible = traffic.bytes() / *split.least / giga, fraction = *split.least / split.seconds;
    report.set("iteration.bandwidth_gbytes_per_s", possible).set("iteration.fraction_of_bandwidth", fraction);
    text += fmt::format(", {:.0f} % of what memory streams ({:.3g})", 100 * fraction, possible);
  }
  if (const auto bound = bound_of(split)) report.set("iteration.bound_by", to_string(*bound));
  session.summary.add("speed", text + ": " + explain_bound(split));
}

} // namespace atl::app
