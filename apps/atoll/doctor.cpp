#include "commands.hpp"
#include "distribute.hpp"
#include "machine.hpp"

#include <atoll/comm/transport_check.hpp>
#include <atoll/core/plugin.hpp>
#include <atoll/core/version.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/registry.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

/// What a required part says of itself, and whether it works.
struct Finding {
  bool works = true;
  std::string text;
};

/// A check that throws where the part fails; every rank gets the same Error.
template <class Check>
Finding found(Check check) {
  try {
    return {true, check()};
  } catch (const Error& error) {
    return {false, "FAILS: " + error.line()};
  }
}

std::string prove_solver(const Context& context) {
  Loaded<double> loaded = load_matrix<double>(context, "poisson2d:24x24");
  const auto a = std::make_shared<const DSparseMatrix<double>>(
      DSparseMatrix<double>::from_rows(context, std::move(loaded.rows)));
  DVector<double> b = a->make_row_vector(), x = a->make_col_vector();
  x.fill(1);
  a->multiply(x, b);
  x.fill(0);
  MatrixOperator<double> a_operator(a);
  const auto jacobi = make_preconditioner<double>("jacobi");
  jacobi->setup(*a);
  const SolveResult result = Cg<double>().solve(a_operator, *jacobi, b, x, {});
  if (!result.converged())
    throw Error(ErrorKind::environment, "the model problem was not solved: " + std::string(explain(result.reason)));
  return fmt::format("{} solved in {} iterations, true relative residual {:.2g}", loaded.name, result.iterations,
                     result.relative_residual());
}

void report_required(Session& session, const char* label, const char* key, const Finding& finding) {
  session.report.set(fmt::format("{}.works", key), finding.works).set(fmt::format("{}.text", key), finding.text);
  session.summary.add(label, finding.text);
}

void report_versions(Session& session, const Versions& versions) {
  session.report.set("versions.mpi_standard", versions.mpi_standard)
      .set("versions.mpi_library", versions.mpi_library)
      .set("versions.mpi_threads", versions.mpi_threads)
      .set("versions.hdf5", versions.hdf5)
      .set("versions.hdf5_parallel", versions.hdf5_parallel)
      .set("versions.metis", versions.metis)
      .set("versions.scotch", versions.scotch)
      .set("versions.compiler", versions.compiler);
  session.summary.add("MPI", fmt::format("{}, standard {}, threads: {}", versions.mpi_library, versions.mpi_standard,
                                         versions.mpi_threads));
  session.summary.add("METIS", versions.metis);
  session.summary.add("PT-Scotch", versions.scotch);
}

void report_machine(Session& session, const Machine& machine, int machines) {
  session.report.set("machine.host", machine.host)
      .set("machine.system", machine.system)
      .set("machine.processor", machine.processor)
      .set("machine.hardware_threads", machine.hardware_threads)
      .set("machine.memory_bytes", machine.memory_bytes)
      .set("machine.memory_available_bytes", machine.memory_available_bytes)
      .set("machine.huge_pages", machine.huge_pages)
      .set("machines", machines);
  session.summary.add("ranks", fmt::format("{} on {}", session.context.size(), counted(machines, "machine")));
  session.summary.add("machine", fmt::format("{}: {}, {} for rank 0", machine.host, machine.processor,
                                             counted(machine.hardware_threads, "hardware thread")));
  session.summary.add("memory", fmt::format("{}, {} of it free; transparent huge pages: {}",
                                            readable_bytes(machine.memory_bytes),
                                            readable_bytes(machine.memory_available_bytes),
                                            machine.huge_pages.empty() ? "unknown" : machine.huge_pages));
}

void report_plugins(Session& session) {
  for (const KnownPlugin& known : known_plugins()) {
    const PluginStatus status = probe_plugin(known.name);
    Report row;
    row.set("name", known.name).set("purpose", known.purpose).set("usable", status.usable());
    row.set("path", status.path).set("version", status.version).set("error", status.error);
    session.report.append("plugins", row);
    session.summary.add("plug-in", status.usable()
                                       ? fmt::format("{} {}: {}", known.name, status.version, status.path)
                                       : fmt::format("{} ({}): {}", known.name, known.purpose, status.error));
  }
}

std::vector<std::string> available(std::span<const SolverName> names) {
  std::vector<std::string> result;
  for (const SolverName& name : names)
    if (name.available && name.name != std::string_view("auto")) result.emplace_back(name.name);
  return result;
}

void report_abilities(Session& session) {
  const std::vector<std::string> methods = available(method_names()),
                                 preconditioners = available(preconditioner_names());
  session.report.set("methods", std::span<const std::string>(methods));
  session.report.set("preconditioners", std::span<const std::string>(preconditioners));
  session.summary.add("methods", fmt::format("{}", fmt::join(methods, ", ")));
  session.summary.add("precond.", fmt::format("{}", fmt::join(preconditioners, ", ")));
}

} // namespace

int run(Session& session, Listener&, const CommonJob&, const DoctorJob&) {
  const Context& context = session.context;
  const Versions versions = library_versions();
  const Finding transport = found([&] { return prove_transport(*context.comm).why; });
  const Finding store{
      versions.hdf5_parallel,
      fmt::format("{}{}", versions.hdf5, versions.hdf5_parallel ? ", parallel" : " FAILS: not parallel")};
  const Finding solver = found([&] { return prove_solver(context); });

  session.summary.add("atoll", atoll_version());
  report_machine(session, this_machine(), count_machines());
  report_versions(session, versions);
  report_required(session, "HDF5", "hdf5", store);
  report_required(session, "transport", "transport", transport);
  report_required(session, "self-test", "self_test", solver);
  report_abilities(session);
  report_plugins(session);

  const bool healthy = transport.works && store.works && solver.works;
  session.report.set("healthy", healthy);
  session.summary.add("verdict", healthy ? "all that is required works" : "a required part fails");
  session.finish_without_figures();
  return healthy ? 0 : exit_status(ErrorKind::environment);
}

} // namespace atl::app
