#include "bench_kernels.hpp"
#include "bench_problems.hpp"
#include "bench_report.hpp"
#include "commands.hpp"
#include "machine.hpp"

#include <fmt/format.h>

namespace atl::app {

namespace {

constexpr std::int64_t megabyte = 1'000'000;

/// Bytes that the bench may take on each machine: what was asked for, if a quarter of the free memory holds it.
std::int64_t memory_of_a_machine(Session& session, const BenchJob& job) {
  const std::int64_t wanted = job.megabytes * megabyte, free = least_available_bytes(session.context);
  if (wanted <= free / 4) return wanted;
  session.context.observer->warning(
      fmt::format("--megabytes: takes {} instead of {}, a quarter of the memory that is free",
                  readable_bytes(free / 4), readable_bytes(wanted)));
  return free / 4;
}

StreamSettings stream_settings(const Context& context, double seconds, std::int64_t memory) {
  const std::int64_t chosen = 3 * std::max(std::int64_t{128} << 20, 4 * last_level_cache_bytes());
  StreamSettings settings{.seconds = 4 * seconds, .bytes = std::min(chosen, memory)};
  settings.bytes = context.comm->all_reduce(settings.bytes, ReduceOp::min);
  return settings;
}

/// 1, 2, 4, ... ranks and all of them.
std::vector<Bandwidth> measure_streams(const Context& context, StreamSettings settings) {
  std::vector<Bandwidth> streams;
  for (settings.ranks = 1; settings.ranks < context.size(); settings.ranks *= 2) {
    context.observer->progress(settings.ranks, context.size());
    streams.push_back(measure_bandwidth(context, settings));
  }
  settings.ranks = context.size();
  streams.push_back(measure_bandwidth(context, settings));
  return streams;
}

/// What other work took from the machine during one measurement is no property of the machine.
void keep_faster(Bandwidth& bandwidth, const Bandwidth& again) {
  for (double Bandwidth::*rate : {&Bandwidth::read, &Bandwidth::copy, &Bandwidth::triad, &Bandwidth::update})
    bandwidth.*rate = std::max(bandwidth.*rate, again.*rate);
}

template <class T>
BenchMatrix bench_matrix(Session& session, BenchMeter& meter, IterationClock& clock, const BenchJob& job,
                         const std::string& matrix, bool vectors) {
  Loaded<T> loaded = session.phase("read", [&] { return load_matrix<T>(session.context, matrix); });
  const std::string name = loaded.name;
  const Distributed<T> system = distribute<T>(session, std::move(loaded), job.partition);
  const DSparseMatrix<T>& a = *system.matrix;
  session.phase("kernels", [&] {
    bench_products(meter, name, a);
    if (vectors) bench_vectors(meter, name, a);
    bench_messages(meter, name, a);
    bench_iteration(meter, clock, name, system.matrix);
  });
  const std::int64_t halo = session.context.comm->all_reduce(std::int64_t{a.plan()->n_receive()}, ReduceOp::sum);
  return {name, a.rows(), a.cols(), a.entries(), halo};
}

void report_machine(Session& session) {
  const Machine machine = this_machine();
  const std::int64_t cache = last_level_cache_bytes();
  session.report.set("machine.processor", machine.processor).set("machine.huge_pages", machine.huge_pages);
  session.report.set("machine.cache_bytes", cache);
  session.summary.add("machine", fmt::format("{}, last-level cache {}, transparent huge pages: {}", machine.processor,
                                             readable_bytes(cache),
                                             machine.huge_pages.empty() ? "unknown" : machine.huge_pages));
}

template <class T>
int bench(Session& session, const BenchJob& job) {
  const Context& context = session.context;
  const std::int64_t memory = memory_of_a_machine(session, job);
  const std::vector<std::string> matrices =
      job.matrix.empty() ? bench_problems(memory * count_machines()) : std::vector{job.matrix};

  const auto clock = std::make_shared<IterationClock>(context.observer);
  session.context.observer = clock;
  const StreamSettings settings = stream_settings(context, job.seconds, memory);
  std::vector<Bandwidth> streams = session.phase("streams", [&] { return measure_streams(context, settings); });
  const int rows_of_a_matrix = bench_rows_of_products + bench_rows_of_messages + bench_rows_of_iterations;
  BenchMeter meter(session, job.seconds,
                   rows_of_a_matrix * static_cast<int>(matrices.size()) + bench_rows_of_vectors);
  std::vector<BenchMatrix> measured;
  for (const std::string& matrix : matrices) {
    measured.push_back(bench_matrix<T>(session, meter, *clock, job, matrix, matrix == matrices.front()));
    session.phase("streams", [&] { keep_faster(streams.back(), measure_bandwidth(context, settings)); });
  }

  report_ranks(session);

  report_machine(session);
  report_streams(session, streams);
  report_kernels(session, streams.back(), measured, meter.rows());
  session.finish(0);
  return 0;
}

} // namespace

int run(Session& session, Listener&, const CommonJob& common, const BenchJob& job) {
  return common.precision == "float" ? bench<float>(session, job) : bench<double>(session, job);
}

} // namespace atl::app
