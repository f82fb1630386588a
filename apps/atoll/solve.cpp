#include "commands.hpp"
#include "iteration_report.hpp"
#include "report_solve.hpp"
#include "right_hand_side.hpp"
#include "roofline_traffic.hpp"
#include "solvable.hpp"
#include "vectors.hpp"

#include <atoll/solvers/registry.hpp>

#include <algorithm>

namespace atl::app {

namespace {

/// Names are checked before anything is read.
void require_known(const Context& context, const SolveJob& job) {
  require_method(job.method);
  require_preconditioner(job.preconditioner);
  is_right_hand_side_file(job.rhs);
  require_writable(context, job.output);
}

/// Conjugate gradients are what this build has, so "auto" need not choose: the matrix is symmetric by now.
template <class T>
Cg<T> make_method(const std::string& name) {
  if (name == "cg-pipelined") return Cg<T>(CgVariant::pipelined);
  return Cg<T>(name == "cg-textbook" ? CgVariant::textbook : CgVariant::single_reduction);
}

template <class T>
NullSpace<T> make_null_space(const DSparseMatrix<T>& a, const std::string& wish) {
  if (wish == "none") return {};
  return wish == "constant" ? NullSpace<T>::constant(a) : NullSpace<T>::find(a);
}

template <class T>
SolvedIterations iterations_of(const SolveJob& job, const DSparseMatrix<T>& a, const Preconditioner<T>& m,
                               const SolveResult& result) {
  const HaloPlan& plan = *a.plan();
  return {.times = result.times,
          .iterations = result.iterations,
          .traffic = method_traffic(job.method, a, m),
          .halo_messages = static_cast<int>(std::max(plan.send().size(), plan.receive().size())),
          .halo_bytes = bytes_of_values<T>(std::max(plan.n_send(), plan.n_receive()))};
}

template <class T>
int solve(Session& session, const Listener& listener, const SolveJob& job) {
  const Context& context = session.context;
  require_known(context, job);

  Loaded<T> loaded = session.phase("read", [&] { return load_matrix<T>(context, job.matrix); });
  const std::string name = loaded.name;
  require_square(name, loaded.rows.n_rows, loaded.rows.n_cols, "solving");

  const Distributed<T> system =
      distribute<T>(session, std::move(loaded), job.partition, {job.storage, job.reproducible});
  const DSparseMatrix<T>& a = *system.matrix;

  DVector<T> b, x = a.make_col_vector();
  session.phase("read", [&] {
    b = right_hand_side(system, job.rhs);
    if (!job.initial.empty()) x = read_vector<T>(context, job.initial, a.col_map(), system.columns, 1);
  });

  auto preconditioner = make_preconditioner<T>(job.preconditioner);
  NullSpace<T> null_space = session.phase("setup", [&] {
    require_solvable(system, name);
    if (job.null_space == "constant") require_constant_null_space(system, name);
    preconditioner->setup(a);
    return make_null_space(a, job.null_space);
  });
  if (job.reproducible) null_space.set_reproducible();

  Cg<T> method = make_method<T>(job.method);
  method.set_reproducible(job.reproducible);
  MatrixOperator<T> a_operator(system.matrix);
  Stopping stopping = job.stopping;
  stopping.interrupt = &pending_signal();
  SolveResult result =
      session.phase("solve", [&] { return method.solve(a_operator, *preconditioner, b, x, stopping, null_space); });
  const std::string why = explain_ending(job, a, b, null_space.dimension(), result);

  if (!job.output.empty()) session.phase("write", [&] { write_vector<T>(context, job.output, x, system.columns); });

  report_matrix(session, name, a.rows(), a.cols(), a.entries(), true);
  report_ranks(session);
  report_cut(session, system.cut, context.size());
  report_storage(session, *system.matrix);
  report_method(session, job, preconditioner->name(), null_space.dimension());
  report_result(session, job, result, why, listener);
  report_solve_memory(session, a.bytes(), b.bytes() + x.bytes() + method.bytes(), preconditioner->bytes());
  session.report_figures(a.rows());
  report_iteration(session, job.bandwidth, iterations_of(job, a, *preconditioner, result));
  session.finish_without_figures();
  return result.converged() ? 0 : 1;
}

} // namespace

int run(Session& session, Listener& listener, const CommonJob& common, const SolveJob& job) {
  return common.precision == "float" ? solve<float>(session, listener, job) : solve<double>(session, listener, job);
}

} // namespace atl::app
