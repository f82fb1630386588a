#include "clashes.hpp"
#include "cli.hpp"
#include "commands.hpp"
#include "ending.hpp"
#include "progress.hpp"
#include "vectors.hpp"

#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/core/memory.hpp>
#include <atoll/core/options.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

ExecutorPtr make_executor(const CommonJob& common) {
  if (common.device == "cuda")
    throw Error(ErrorKind::environment, "the CUDA backend is not in this build; use auto or cpu", "--device cuda");
  if (common.precision == "mixed")
    throw Error(ErrorKind::environment, "mixed precision is not in this build; use double or float",
                "--precision mixed");
  return common.device == "guarded" ? make_guarded_executor() : make_host_executor(common.threads);
}

bool exchanges_halos(const Job& job) {
  return std::holds_alternative<SolveJob>(job.work) || std::holds_alternative<MultiplyJob>(job.work) ||
         std::holds_alternative<BenchJob>(job.work);
}

int run_job(const Job& job) {
  const CommunicatorPtr comm = make_mpi_communicator(MPI_COMM_WORLD);
  Listener::Settings settings;
  settings.speaks = comm->rank() == 0;
  settings.progress = comm->rank() == 0 && shows_progress(job.common.progress);
  settings.monitor_on_stderr = job.common.json == "-";
  if (const auto* solve = std::get_if<SolveJob>(&job.work)) {
    settings.monitor = solve->monitor;
    if (solve->stopping.test == StopTest::residual) settings.rtol = solve->stopping.rtol;
    settings.max_iterations = solve->stopping.max_iterations;
  }
  const auto listener = std::make_shared<Listener>(settings);
  Session session({comm, make_executor(job.common)}, listener, job.common, job.command);
  refuse_clashes(session.context, job);
  if (job.common.json != "-") require_writable(session.context, job.common.json);
  session.note_oversubscription();
  if (exchanges_halos(job)) session.prove_transport();
  return std::visit([&](const auto& work) { return run(session, *listener, job.common, work); }, job.work);
}

int run_command_line(std::span<const std::string> arguments) {
  const std::variant<Job, Help> parsed = parse_command_line(arguments);
  if (const Job* job = std::get_if<Job>(&parsed)) return run_job(*job);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) print(std::get<Help>(parsed).text);
  return 0;
}

std::string usage_hint(std::span<const std::string> arguments) {
  const CommandSpec* command = arguments.empty() ? nullptr : find_command(arguments[0]);
  return complaint_line(command && command->available ? fmt::format("see 'atoll {} --help'", arguments[0])
                                                      : "see 'atoll --help'");
}

Outcome interrupted_by(int signal) {
  return {128 + signal, complaint_line(fmt::format("ended by signal {}", signal))};
}

/// Runs all and turns every ending into a status and a line.
Outcome outcome_of(std::span<const std::string> arguments) {
  try {
    return {run_command_line(arguments), {}};
  } catch (const Interrupted& interrupted) {
    return interrupted_by(interrupted.signal);
  } catch (...) {
    if (const int signal = pending_signal()) return interrupted_by(signal); // what failed is its consequence
    const Error error = describe_current_exception();
    std::string complaint = complaint_line(error.line());
    if (error.kind() == ErrorKind::usage) complaint += usage_hint(arguments);
    return {exit_status(error.kind()), complaint};
  }
}

} // namespace

} // namespace atl::app

int main(int argc, char** argv) {
  atl::return_freed_memory();
  const atl::MpiSession mpi(&argc, &argv);
  atl::app::Ending ending;
  atl::app::install_signal_handlers();
  const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  return ending.leave(atl::app::outcome_of(arguments));
}
