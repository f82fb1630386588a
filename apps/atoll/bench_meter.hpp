#pragma once

#include "roofline.hpp"
#include "session.hpp"

#include <functional>

namespace atl::app {

/// One line of the bench: a kernel, where it ran, and how fast.
struct BenchRow {
  std::string kernel{};
  std::string matrix{};  ///< whose rows, or whose halo
  std::string storage{}; ///< the form asked for; empty: no matrix is read
  std::string stored{};  ///< what became of it: "stencil 98 %, csr 2 %"
  LocalIndex columns = 1;
  Traffic traffic{};     ///< over all ranks
  double seconds = 0;    ///< median of the slowest rank
  bool streams = true;   ///< its data stream through memory, whose bandwidth bounds it
  bool in_cache = false; ///< what it touches is no larger than the caches

  double rate() const { return traffic.bytes() / seconds; } ///< bytes a second over all ranks
};

/// Measures kernels one after the other, and tells how far it is.
class BenchMeter {
 public:
  /// expected: rows that will come, for the progress.
  BenchMeter(Session& session, double seconds, int expected);

  /// A kernel whose data stream through memory. mine: of this rank. Collective, as the two that follow.
  void stream(BenchRow row, const Traffic& mine, const std::function<void()>& work);
  /// One bound by messages or by latency.
  void latency(BenchRow row, const Traffic& mine, const std::function<void()>& work);
  /// One that was timed elsewhere.
  void timed(BenchRow row, const Traffic& mine, double seconds);
  /// Rows that will not come.
  void skip(int rows) { done_ += rows; }

  double budget() const { return seconds_; }
  const Context& context() const { return session_.context; }
  const std::vector<BenchRow>& rows() const { return rows_; }

 private:
  void add(BenchRow row, const Traffic& mine, double seconds);

  Session& session_;
  double seconds_;
  double cache_bytes_; ///< of all machines
  int done_ = 0, expected_;
  std::vector<BenchRow> rows_;
};

} // namespace atl::app
