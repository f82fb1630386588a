#include "plan_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl::app {

namespace {

constexpr double giga = 1e9;

/// One line of the table.
struct Row {
  const char* key;
  const char* label;
  bool bytes;
  double (*figure)(const PartFigures&);
};

constexpr auto number = [](std::int64_t value) { return static_cast<double>(value); };

constexpr Row table[] = {
    {"rows", "rows", false, [](const PartFigures& p) { return number(p.rows); }},
    {"entries", "entries", false, [](const PartFigures& p) { return number(p.entries); }},
    {"bytes.storage", "matrix, packed", true, [](const PartFigures& p) { return number(p.storage); }},
    {"bytes.maps", "  maps", true, [](const PartFigures& p) { return number(p.maps); }},
    {"bytes.halo", "  halo plan and buffers", true, [](const PartFigures& p) { return number(p.halo); }},
    {"bytes.matrix", "  together", true, [](const PartFigures& p) { return number(p.matrix()); }},
    {"bytes.rhs", "vectors: right-hand side", true, [](const PartFigures& p) { return number(p.rhs); }},
    {"bytes.answer", "  answer", true, [](const PartFigures& p) { return number(p.answer); }},
    {"bytes.method", "  of the method", true, [](const PartFigures& p) { return number(p.method); }},
    {"bytes.vectors", "  together", true, [](const PartFigures& p) { return number(p.vectors()); }},
    {"bytes.kept", "  kept iterate, at need", true, [](const PartFigures& p) { return number(p.kept); }},
    {"bytes.preconditioner", "preconditioner", true, [](const PartFigures& p) { return number(p.preconditioner); }},
    {"bytes.all", "all memory", true, [](const PartFigures& p) { return number(p.memory()); }},
    {"exchange.messages_sent", "exchange: messages sent", false,
     [](const PartFigures& p) { return number(p.messages_sent); }},
    {"exchange.messages_received", "  messages received", false,
     [](const PartFigures& p) { return number(p.messages_received); }},
    {"exchange.bytes_sent", "  sent", true, [](const PartFigures& p) { return number(p.bytes_sent); }},
    {"exchange.bytes_received", "  received", true, [](const PartFigures& p) { return number(p.bytes_received); }},
    {"iteration.bytes", "moved by an iteration", true, [](const PartFigures& p) { return p.traffic.bytes(); }},
};

struct Spread {
  double max, mean, min, total;
};

Spread spread(Communicator& comm, int parts, std::span<const PartFigures> mine, const Row& row) {
  double most[] = {std::numeric_limits<double>::lowest(), std::numeric_limits<double>::lowest()}, total = 0;
  for (const PartFigures& part : mine) {
    const double value = row.figure(part);
    most[0] = std::max(most[0], value);
    most[1] = std::max(most[1], -value);
    total += value;
  }
  comm.all_reduce(std::span<double>(most), ReduceOp::max);
  total = comm.all_reduce(total, ReduceOp::sum);
  return {most[0], total / parts, -most[1], total};
}

/// A whole number as such, for it may count something.
void set_number(Report& report, const std::string& key, double value) {
  if (value == std::floor(value) && std::abs(value) < 9e15)
    report.set(key, static_cast<std::int64_t>(value));
  else
    report.set(key, value);
}

std::string cell(const Row& row, double value) {
  const auto whole = static_cast<std::int64_t>(value);
  if (row.bytes) return readable_bytes(whole);
  return value == std::floor(value) ? readable(whole) : fmt::format("{:.1f}", value);
}

} // namespace

IterationSplit predict_iteration(const Context& context, const PlanModel& model, std::span<const PartFigures> mine) {
  double most[4] = {}, sum = 0; // slowest with its messages, local work, messages and bytes of an exchange
  for (const PartFigures& part : mine) {
    const double local = model.bandwidth.seconds(part.traffic) * model.bandwidth.ranks;
    const double messages = number(std::max(part.messages_sent, part.messages_received));
    const double bytes = number(std::max(part.bytes_sent, part.bytes_received));
    const double figures[] = {local + model.network.seconds(messages, bytes), local, messages, bytes};
    for (std::size_t i = 0; i < 4; ++i) most[i] = std::max(most[i], figures[i]);
    sum += local;
  }
  context.comm->all_reduce(std::span<double>(most), ReduceOp::max);
  IterationSplit split;
  split.reductions = model.reductions * model.network.reduction_seconds(model.parts);
  split.seconds = most[0] + split.reductions;
  split.local_slowest = most[1];
  split.local_mean = context.comm->all_reduce(sum, ReduceOp::sum) / model.parts;
  split.least = split.local_mean;
  split.halo = most[0] - most[1];
  split.halo_latency = split.halo * model.network.latency_share(most[2], most[3]);
  return split;
}

void report_parts(Session& session, int parts, std::span<const PartFigures> mine) {
  session.report.set("plan.parts", parts);
  std::string text = fmt::format("\n{:<26} {:>12} {:>12} {:>12} {:>14}\n", "a rank of " + std::to_string(parts),
                                 "most", "mean", "least", "all ranks");
  for (const Row& row : table) {
    const Spread s = spread(*session.context.comm, parts, mine, row);
    const std::pair<const char*, double> columns[] = {
        {"max", s.max}, {"mean", s.mean}, {"min", s.min}, {"total", s.total}};
    for (const auto& [name, value] : columns)
      set_number(session.report, fmt::format("plan.{}.{}", row.key, name), value);
    text += fmt::format("{:<26} {:>12} {:>12} {:>12} {:>14}\n", row.label, cell(row, s.max), cell(row, s.mean),
                        cell(row, s.min), cell(row, s.total));
  }
  session.summary.add_block(text);
}

void report_prediction(Session& session, const PlanModel& model, const IterationSplit& split) {
  const Bandwidth& b = model.bandwidth;
  session.report.set("plan.iteration.reductions", model.reductions)
      .set("plan.iteration.seconds", split.seconds)
      .set("plan.iteration.local_seconds_mean", split.local_mean)
      .set("plan.iteration.local_seconds_slowest", split.local_slowest)
      .set("plan.iteration.halo_seconds", split.halo)
      .set("plan.iteration.reduction_seconds", split.reductions)
      .set("plan.iteration.explanation", explain_bound(split))
      .set("plan.model.read_gbs", b.read / b.ranks / giga)
      .set("plan.model.triad_gbs", b.triad / b.ranks / giga)
      .set("plan.model.update_gbs", b.update / b.ranks / giga)
      .set("plan.model.network_latency", model.network.latency)
      .set("plan.model.network_bandwidth", model.network.bandwidth);
  session.report.set("plan.iteration.bound_by", to_string(*bound_of(split)));
  session.summary.add(
      "model", fmt::format("a rank reads {:.3g} GB/s; a message takes {:.3g} us and a second for {:.3g} "
                           "GB; nothing overlaps",
                           b.read / b.ranks / giga, 1e6 * model.network.latency, model.network.bandwidth / giga));
  session.summary.add("speed", fmt::format("{:.3g} ms, {}: {}", 1000 * split.seconds,
                                           counted(model.reductions, "reduction"), explain_bound(split)));
}

} // namespace atl::app
