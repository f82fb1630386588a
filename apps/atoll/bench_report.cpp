#include "bench_report.hpp"

#include <fmt/format.h>

#include <optional>

namespace atl::app {

namespace {

constexpr double giga = 1e9;

Report stream_keys(const Bandwidth& b) {
  Report row;
  row.set("ranks", b.ranks)
      .set("array_bytes", b.array_bytes)
      .set("read_gbs", b.read / giga)
      .set("copy_gbs", b.copy / giga)
      .set("triad_gbs", b.triad / giga)
      .set("update_gbs", b.update / giga);
  return row;
}

/// The least time for the traffic over the time measured.
std::optional<double> fraction(const Bandwidth& bandwidth, const BenchRow& row) {
  if (!row.streams || row.traffic.bytes() == 0) return std::nullopt;
  return bandwidth.seconds(row.traffic) / row.seconds;
}

Report kernel_keys(const Bandwidth& bandwidth, const BenchRow& row) {
  Report keys;
  keys.set("kernel", row.kernel).set("matrix", row.matrix).set("columns", row.columns);
  if (row.storage.empty())
    keys.set("storage", nullptr).set("stored", nullptr);
  else
    keys.set("storage", row.storage).set("stored", row.stored);
  keys.set("bytes_read", row.traffic.read)
      .set("bytes_written", row.traffic.written)
      .set("bytes_updated", row.traffic.updated)
      .set("seconds", row.seconds)
      .set("gbs", row.rate() / giga);
  if (const auto share = fraction(bandwidth, row))
    keys.set("fraction", *share);
  else
    keys.set("fraction", nullptr);
  keys.set("in_cache", row.in_cache);
  return keys;
}

std::string matrix_line(const BenchMatrix& m) {
  const std::string halo = m.halo > 0 ? fmt::format(", halo {}", counted(m.halo, "value")) : "";
  return fmt::format("\n{}: {}, {}{}\n", printable(m.name), counted(m.rows, "row"), counted(m.entries, "entry"),
                     halo);
}

std::string kernel_line(const Bandwidth& bandwidth, const BenchRow& row) {
  const std::string kernel =
      row.columns == 1 ? row.kernel : fmt::format("{}, {}", row.kernel, counted(row.columns, "vector"));
  const auto part = fraction(bandwidth, row);
  const std::string share = part ? fmt::format("{:.0f} %{}", 100 * *part, row.in_cache ? "*" : "") : "";
  std::string line = fmt::format("  {:<20} {:<12} {:>9} {:>11.1f} {:>8.2f} {:>10}  {}", kernel, row.storage,
                                 readable_bytes(static_cast<std::int64_t>(row.traffic.bytes())), 1e6 * row.seconds,
                                 row.rate() / giga, share, row.stored);
  return line.erase(line.find_last_not_of(' ') + 1) + "\n";
}

} // namespace

void report_streams(Session& session, const std::vector<Bandwidth>& streams) {
  std::string text =
      fmt::format("\nstreams  GB/s of all ranks together, arrays of {} in all\n{:>7} {:>8} {:>8} {:>8} {:>8}\n",
                  readable_bytes(streams.back().array_bytes), "ranks", "read", "copy", "triad", "update");
  for (const Bandwidth& b : streams) {
    session.report.append("streams", stream_keys(b));
    text += fmt::format("{:>7} {:>8.2f} {:>8.2f} {:>8.2f} {:>8.2f}\n", b.ranks, b.read / giga, b.copy / giga,
                        b.triad / giga, b.update / giga);
  }
  session.summary.add_block(text);
}

void report_kernels(Session& session, const Bandwidth& bandwidth, const std::vector<BenchMatrix>& matrices,
                    const std::vector<BenchRow>& rows) {
  bool in_cache = false;
  for (const BenchMatrix& m : matrices) {
    Report keys;
    keys.set("name", m.name).set("rows", m.rows).set("cols", m.cols).set("nnz", m.entries).set("halo_total", m.halo);
    session.report.append("matrices", keys);
    std::string text = matrix_line(m) + fmt::format("  {:<20} {:<12} {:>9} {:>11} {:>8} {:>10}  {}\n", "kernel",
                                                    "storage", "bytes", "us", "GB/s", "of stream", "stored as");
    for (const BenchRow& row : rows) {
      if (row.matrix != m.name) continue;
      session.report.append("kernels", kernel_keys(bandwidth, row));
      text += kernel_line(bandwidth, row);
      in_cache = in_cache || (row.in_cache && row.streams);
    }
    session.summary.add_block(text);
  }
  session.summary.add_block(
      "\nus: median of the slowest rank; bytes: the fewest that must move, over all ranks; of stream: the time that "
      "these bytes\ntake in the streams above over the time measured\n");
  if (in_cache) session.summary.add_block("*: caches hold much of the data, and are faster than memory\n");
}

} // namespace atl::app
