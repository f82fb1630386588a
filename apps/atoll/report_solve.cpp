#include "report_solve.hpp"

#include <atoll/solvers/krylov/cg.hpp>

#include <fmt/format.h>

#include <cmath>

namespace atl::app {

void report_method(Session& session, const SolveJob& job, const std::string& preconditioner,
                   std::int64_t null_space_dimension) {
  const bool automatic = job.method == "auto";
  const std::string method = automatic ? "cg" : job.method;
  session.report.set("method", method).set("preconditioner.name", preconditioner);
  session.report.set("null_space_dimension", null_space_dimension);

  std::string text = method;
  if (automatic) text += " (the matrix is symmetric)";
  text += fmt::format(", preconditioner {}", preconditioner);
  if (job.preconditioner == "auto") text += " (the strongest in this build)";
  session.summary.add("method", text);
  if (null_space_dimension > 0)
    session.summary.add("null space",
                        fmt::format("constant on {} of the matrix, removed: the answer has zero mean there",
                                    counted(null_space_dimension, "component")));
}

namespace {

/// What was reached beside what was asked, of the same norms.
std::string accuracy(const Stopping& stopping, const SolveResult& result) {
  if (stopping.test == StopTest::energy) {
    std::string text = fmt::format("error in the energy norm at most {:.3g} of the answer's (asked: {:.3g})",
                                   result.certificate.energy_error_relative(), stopping.rtol);
    if (!std::isfinite(result.certificate.energy_error_relative()))
      text = fmt::format("error in the energy norm not known (asked: {:.3g} of the answer's)", stopping.rtol);
    text += fmt::format(", true relative residual {:.3g}", result.relative_residual());
    if (stopping.atol > 0)
      text += fmt::format(", of norm {:.3g} (asked: {:.3g})", result.final_residual, stopping.atol);
    return text;
  }
  const double relative = stopping.against == ReferenceNorm::rhs || !(result.reference > 0)
                              ? result.relative_residual()
                              : result.final_residual / result.reference;
  std::string text = fmt::format("true relative residual {:.3g} (asked: {:.3g}", relative, stopping.rtol);
  if (stopping.against == ReferenceNorm::initial)
    text += fmt::format(", relative to the initial residual, of norm {:.3g}", result.reference);
  if (stopping.against == ReferenceNorm::given)
    text += fmt::format(", relative to the norm given, {:.3g}", result.reference);
  text += ")";
  if (stopping.atol > 0)
    text += fmt::format(", or norm {:.3g} (asked: {:.3g})", result.final_residual, stopping.atol);
  return text;
}

/// How far the answer is from the true one, and of which system it is the exact answer.
void report_certificate(Session& session, const Certificate& c) {
  const double relative = c.energy_error_relative();
  session.report.set("certificate.energy_error_lower", c.energy_error_lower)
      .set("certificate.energy_error_upper", c.energy_error_upper)
      .set("certificate.upper_is_bound", c.upper_is_bound)
      .set("certificate.energy_norm", c.energy_norm)
      .set("certificate.energy_error_relative", relative)
      .set("certificate.delay", c.delay)
      .set("certificate.delayed_lower", c.delayed_lower)
      .set("certificate.delayed_upper", c.delayed_upper)
      .set("certificate.backward_error", c.backward_error)
      .set("certificate.residual_gap", c.residual_gap);

  std::string text;
  if (std::isfinite(relative)) {
    text = fmt::format("error in the energy norm at most {}{:.2g} of the answer's", c.upper_is_bound ? "" : "about ",
                       relative);
    if (c.energy_error_lower > 0) text += fmt::format(", at least {:.2g}", c.energy_error_lower / c.energy_norm);
    text += "; ";
  }
  if (std::isfinite(c.backward_error))
    session.summary.add("certified", text + fmt::format("backward error {:.2g}", c.backward_error));
}

} // namespace

void report_result(Session& session, const SolveJob& job, const SolveResult& result, const std::string& why,
                   const Listener& listener) {
  session.report.set("rtol", job.stopping.rtol)
      .set("atol", job.stopping.atol)
      .set("stop", job.stopping.test == StopTest::energy ? "energy" : "residual")
      .set("smallest_eigenvalue", job.stopping.smallest_eigenvalue)
      .set("converged", result.converged())
      .set("reason", to_string(result.reason))
      .set("explanation", why)
      .set("iterations", result.iterations)
      .set("relative_residual", result.relative_residual())
      .set("residual_norm", result.final_residual)
      .set("rhs_norm", result.rhs_norm)
      .set("reference_norm", result.reference)
      .set("incompatible", result.incompatible)
      .set("residual_replacements", result.residual_replacements)
      .set("history", std::span<const double>(listener.history()));

  const std::string iterations = counted(result.iterations, "iteration"), reached = accuracy(job.stopping, result);
  session.summary.add(result.converged() ? "converged" : "NOT CONVERGED", fmt::format("{}: {}", iterations, reached));
  if (!result.converged() || result.iterations == 0) session.summary.add("reason", why);
  report_certificate(session, result.certificate);
  if (!result.converged())
    session.complaint = fmt::format("not converged after {}, {}: {}", iterations, reached, why);
  if (result.incompatible > 1e-12 * result.rhs_norm)
    session.context.observer->warning(fmt::format(
        "the right-hand side had a part of norm {:.3g} that no x can reach; it was removed", result.incompatible));
  if (!job.output.empty()) session.summary.add("answer", job.output);
}

void report_solve_memory(Session& session, std::size_t matrix, std::size_t vectors, std::size_t preconditioner) {
  std::int64_t bytes[3] = {static_cast<std::int64_t>(matrix), static_cast<std::int64_t>(vectors),
                           static_cast<std::int64_t>(preconditioner)};
  session.context.comm->all_reduce(std::span<std::int64_t>(bytes), ReduceOp::sum);
  session.report.set("memory_bytes.matrix", bytes[0])
      .set("memory_bytes.vectors", bytes[1])
      .set("memory_bytes.preconditioner", bytes[2]);
  session.summary.add("parts", fmt::format("matrix {}, vectors {}, preconditioner {}", readable_bytes(bytes[0]),
                                           readable_bytes(bytes[1]), readable_bytes(bytes[2])));
}

} // namespace atl::app
