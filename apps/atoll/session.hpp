#pragma once

#include "job.hpp"
#include "listener.hpp"
#include "signals.hpp"
#include "summary.hpp"

#include <atoll/comm/context.hpp>
#include <atoll/core/timer.hpp>
#include <atoll/io/report.hpp>

#include <map>
#include <type_traits>

namespace atl::app {

/// What every command has while it runs: ranks and executor, the clock of its phases, the summary for people
/// and the report for programs.
class Session {
 public:
  Session(const Context& c, std::shared_ptr<Listener> listener, const CommonJob& common, const std::string& command);

  Context context;
  Summary summary; ///< printed by rank 0, unless the report goes to standard output
  Report report;

  /// Runs one phase of the job and keeps its time. Collective. A signal that came to any rank ends the job
  /// here.
  template <class Work>
  auto phase(const char* name, Work&& work) {
    begin(name);
    if constexpr (std::is_void_v<decltype(work())>) {
      work();
      end(name);
    } else {
      auto result = work();
      end(name);
      return result;
    }
  }
  /// Notes where the ranks of a machine have more threads than cores. Collective.
  void note_oversubscription();
  /// Takes a way to exchange halos that works on this machine. Collective.
  void prove_transport();
  /// Throws Interrupted on all ranks when one has a signal pending. Collective.
  void stop_if_interrupted();

  /// Why the result is none; said on standard error where --quiet drops the summary.
  std::string complaint;

  int threads() const { return threads_; }
  bool report_on_stdout() const { return json_path_ == "-"; }

  /// Times and memory until now. Collective.
  void report_figures(GlobalIndex rows);
  /// Adds times, memory and notes, prints the summary and writes the report. Collective, the last step of every
  /// command.
  void finish(GlobalIndex rows);
  /// The same without times and memory, for commands that work on no matrix or have reported them.
  void finish_without_figures();

 private:
  void begin(const char* name);
  void end(const char* name);
  void report_times();
  void report_memory(GlobalIndex rows);
  void report_notes();

  std::shared_ptr<Listener> listener_;
  std::string json_path_;
  bool quiet_;
  int threads_;
  Timer total_, phase_;
  std::map<std::string, double> seconds_; ///< of this rank
  std::vector<std::string> order_;        ///< phases as they came
  std::int64_t resident_before_;
};

/// The line and keys about ranks, threads and device.
void report_ranks(Session& session);

} // namespace atl::app
