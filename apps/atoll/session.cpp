#include "session.hpp"

#include "ending.hpp"
#include "machine.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/comm/transport_check.hpp>
#include <atoll/core/memory.hpp>
#include <atoll/core/version.hpp>

#include <fmt/format.h>

#include <cstdio>

namespace atl::app {

Session::Session(const Context& c, std::shared_ptr<Listener> listener, const CommonJob& common,
                 const std::string& command)
    : context{c.comm, c.executor, listener}, listener_(std::move(listener)), json_path_(common.json),
      quiet_(common.quiet), threads_(common.threads), resident_before_(current_resident_bytes()) {
  report.set("atoll", atoll_version()).set("command", command);
  report.set("ranks", context.size())
      .set("threads", threads_)
      .set("device", context.executor->host_accessible() ? "cpu" : context.executor->name())
      .set("precision", common.precision)
      .set("communicator", context.comm->name());
}

void Session::note_oversubscription() {
  const std::string text = oversubscription(threads_);
  if (!text.empty()) context.observer->warning(text);
}

void Session::prove_transport() {
  const TransportChoice choice = atl::prove_transport(*context.comm);
  context.channel_kind = choice.kind;
  report.set("transport.kind", choice.kind == ChannelKind::persistent ? "persistent" : "neighborhood")
      .set("transport.why", choice.why);
}

void Session::begin(const char* name) {
  context.observer->phase_begins(name);
  phase_.restart();
}

void Session::end(const char* name) {
  const double seconds = phase_.seconds();
  if (seconds_.emplace(name, 0).second) order_.push_back(name);
  seconds_[name] += seconds;
  context.observer->phase_ends(name, seconds);
  stop_if_interrupted();
}

void Session::stop_if_interrupted() {
  const auto signal = context.comm->all_reduce(std::int64_t{pending_signal().load()}, ReduceOp::max);
  if (signal) throw Interrupted{static_cast<int>(signal)};
}

void Session::report_times() {
  std::vector<double> seconds;
  for (const std::string& name : order_) seconds.push_back(seconds_[name]);
  seconds.push_back(total_.seconds());
  context.comm->all_reduce(std::span<double>(seconds), ReduceOp::max);

  for (const char* name : {"read", "partition", "distribute", "setup", "solve", "write"})
    report.set(fmt::format("time_s.{}", name), 0.0);
  std::string text = fmt::format("{} s", readable_seconds(seconds.back()));
  for (std::size_t i = 0; i < order_.size(); ++i) {
    report.set("time_s." + order_[i], seconds[i]);
    text += fmt::format("{}{} {}", i ? ", " : ": ", order_[i], readable_seconds(seconds[i]));
  }
  report.set("time_s.total", seconds.back());
  summary.add("time", text + (context.size() > 1 ? " (slowest rank)" : ""));
}

void Session::report_memory(GlobalIndex rows) {
  const std::int64_t peak = peak_resident_bytes();
  std::int64_t bytes[2] = {peak, std::max<std::int64_t>(0, peak - resident_before_)};
  context.comm->all_reduce(std::span<std::int64_t>(bytes), ReduceOp::sum);
  report.set("memory_bytes.peak_rss_total", bytes[0]);

  std::string text = fmt::format("{} at the peak", readable_bytes(bytes[0]));
  if (rows > 0) {
    const double per_row = static_cast<double>(bytes[1]) / static_cast<double>(rows);
    report.set("bytes_per_dof", per_row);
    text += fmt::format(", {} of it for this problem: {} bytes a row", readable_bytes(bytes[1]), readable(per_row));
  } else {
    report.set("bytes_per_dof", nullptr);
  }
  summary.add("memory", text);
}

void Session::report_figures(GlobalIndex rows) {
  report_times();
  report_memory(rows);
}

void Session::finish(GlobalIndex rows) {
  report_figures(rows);
  finish_without_figures();
}

/// A command that tells its notes earlier in its summary has told them by now.
void Session::report_notes() {
  report.set("notes", std::span<const std::string>(listener_->notes()));
  for (const std::string& note : listener_->notes())
    if (!summary.says("note", note)) summary.add("note", note);
}

void Session::finish_without_figures() {
  report_notes();
  if (!json_path_.empty() && !report_on_stdout()) {
    report.write(*context.comm, json_path_);
    summary.add("report", json_path_);
  }
  agree(*context.comm, [&] {
    if (context.rank() != 0) return;
    if (report_on_stdout())
      print(report.text());
    else if (!quiet_)
      print(summary.text());
    else if (!complaint.empty())
      std::fputs(complaint_line(complaint).c_str(), stderr);
  });
}

void report_ranks(Session& session) {
  session.summary.add(
      "ranks", fmt::format("{}, {} each, on the CPU", session.context.size(), counted(session.threads(), "thread")));
}

} // namespace atl::app
