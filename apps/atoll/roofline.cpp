#include "roofline.hpp"

#include "bench_timing.hpp"
#include "machine.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/core/array.hpp>
#include <atoll/core/kernels.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace atl::app {

namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr std::int64_t cache_guess = 32 * mebibyte, least_array = 64 * mebibyte;
constexpr Offset least_values = 1024;

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// "32768K"; 0 where there is none.
std::int64_t cache_size(const std::string& text) {
  if (text.empty()) return 0;
  const std::int64_t unit = text.ends_with("M") ? mebibyte : text.ends_with("K") ? 1024 : 1;
  return std::atoll(text.c_str()) * unit;
}

/// The last cache of a core, counted at the first core of those that share it.
std::int64_t last_cache_that_starts_at(int core) {
  const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(core) + "/cache/index";
  int last = -1;
  while (!line_of(folder + std::to_string(last + 1) + "/size").empty()) ++last;
  if (last < 0) return 0;
  const std::string cache = folder + std::to_string(last);
  const bool first_here = std::atoi(line_of(cache + "/shared_cpu_list").c_str()) == core;
  return first_here ? cache_size(line_of(cache + "/size")) : 0;
}

/// The arrays of one rank: three of n values where it streams, none where it waits.
struct Streams {
  Array<double> x, y, z;
  Array<double> factor, sums;
};

Streams make_streams(const ExecutorPtr& executor, Offset n) {
  auto& kernels = executor->kernels<double>();
  const double small = 1e-9;
  Streams s{{executor, n}, {executor, n}, {executor, n}, {executor, std::span(&small, 1)}, {executor, 3}};
  for (Array<double>* array : {&s.x, &s.y, &s.z}) kernels.fill(n, 1.0, array->data());
  return s;
}

/// Values of one array that each streaming rank gets: the same on all of them.
Offset values_of_a_rank(const Context& context, std::int64_t bytes, int streaming) {
  if (bytes == 0) bytes = 3 * std::max(least_array, 2 * last_level_cache_bytes());
  bytes = std::min(bytes, least_available_bytes(context) / 4);
  const int sharing = std::max(1, ranks_of_machine(context.rank() < streaming));
  const Offset mine = bytes / 3 / sharing / Offset{sizeof(double)};
  return std::max(least_values, context.comm->all_reduce(mine, ReduceOp::min));
}

} // namespace

double Bandwidth::seconds(const Traffic& traffic) const {
  // Three values of triad and of update: two read, one written.
  const double per_written = std::max(0.0, 3 / triad - 2 / read), per_updated = std::max(0.0, 3 / update - 2 / read);
  return traffic.read / read + traffic.written * per_written + traffic.updated * per_updated;
}

Bandwidth one_rate(double rate, int ranks) {
  return {.ranks = ranks, .read = rate, .copy = rate, .triad = rate, .update = rate};
}

Bandwidth measure_bandwidth(const Context& context, const StreamSettings& settings) {
  const int ranks = settings.ranks > 0 ? std::min(settings.ranks, context.size()) : context.size();
  const bool streaming = context.rank() < ranks;
  const Offset shared = values_of_a_rank(context, settings.bytes, ranks), n = streaming ? shared : 0;
  Streams s;
  agree(*context.comm, [&] { s = make_streams(context.executor, n); });
  auto& kernels = context.executor->kernels<double>();

  const double array_bytes = static_cast<double>(shared) * sizeof(double) * ranks;
  const auto rate = [&](int arrays, const std::function<void()>& pass) {
    return arrays * array_bytes / median_seconds(context, settings.seconds / 4, [&] {
             if (streaming) pass();
           });
  };
  Bandwidth result{.ranks = ranks, .array_bytes = static_cast<std::int64_t>(array_bytes)};
  const DotPair<double> squares[] = {{s.x.data(), s.x.data()}, {s.y.data(), s.y.data()}, {s.z.data(), s.z.data()}};
  result.read = rate(3, [&] { kernels.dots(n, squares, s.sums.data()); });
  result.copy = rate(2, [&] { kernels.copy(n, s.x.data(), s.y.data()); });
  result.triad = rate(3, [&] { kernels.subtract(n, s.x.data(), s.y.data(), s.z.data()); });
  result.update = rate(3, [&] { kernels.axpy(n, s.factor.data(), s.x.data(), s.y.data()); });
  return result;
}

std::int64_t last_level_cache_bytes() {
  std::int64_t bytes = 0;
  for (int core = 0; !line_of("/sys/devices/system/cpu/cpu" + std::to_string(core) + "/topology/core_id").empty();
       ++core)
    bytes += last_cache_that_starts_at(core);
  return bytes > 0 ? bytes : cache_guess;
}

std::int64_t least_available_bytes(const Context& context) {
  const std::int64_t here = this_machine().memory_available_bytes;
  return context.comm->all_reduce(here > 0 ? here : std::int64_t{4096} * mebibyte, ReduceOp::min);
}

int ranks_of_machine(bool counts) {
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  int ranks = counts ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, machine);
  MPI_Comm_free(&machine);
  return ranks;
}

} // namespace atl::app
