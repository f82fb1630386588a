#include "bench_meter.hpp"

#include "bench_timing.hpp"
#include "machine.hpp"

namespace atl::app {

namespace {

Traffic over_ranks(Communicator& comm, const Traffic& mine) {
  double sums[3] = {mine.read, mine.written, mine.updated};
  comm.all_reduce(std::span<double>(sums), ReduceOp::sum);
  return {sums[0], sums[1], sums[2]};
}

} // namespace

BenchMeter::BenchMeter(Session& session, double seconds, int expected)
    : session_(session), seconds_(seconds),
      cache_bytes_(static_cast<double>(last_level_cache_bytes()) * count_machines()), expected_(expected) {
  cache_bytes_ = context().comm->all_reduce(cache_bytes_, ReduceOp::max);
}

void BenchMeter::stream(BenchRow row, const Traffic& mine, const std::function<void()>& work) {
  add(std::move(row), mine, median_seconds(context(), seconds_, work));
}

void BenchMeter::latency(BenchRow row, const Traffic& mine, const std::function<void()>& work) {
  row.streams = false;
  add(std::move(row), mine, median_seconds(context(), seconds_, work));
}

void BenchMeter::timed(BenchRow row, const Traffic& mine, double seconds) { add(std::move(row), mine, seconds); }

void BenchMeter::add(BenchRow row, const Traffic& mine, double seconds) {
  row.traffic = over_ranks(*context().comm, mine);
  row.seconds = seconds;
  row.in_cache = row.traffic.read + row.traffic.written <= 2 * cache_bytes_;
  rows_.push_back(std::move(row));
  context().observer->progress(++done_, expected_);
  session_.stop_if_interrupted();
}

} // namespace atl::app
