#include "commands.hpp"
#include "distribute.hpp"
#include "vectors.hpp"

#include <atoll/comm/reductions.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

/// y = A x or A' x, the job's power of it.
template <class T>
DVector<T> product(const Distributed<T>& system, const MultiplyJob& job, DVector<T> x) {
  const DSparseMatrix<T>& a = *system.matrix;
  for (int k = 0; k < job.power; ++k) {
    DVector<T> y = job.transpose ? a.make_col_vector(x.columns()) : a.make_row_vector(x.columns());
    if (job.transpose) {
      a.multiply_transposed(x, y);
      x = std::move(y);
    } else {
      a.multiply(x, y);
      if (k + 1 == job.power) return y;
      x = a.make_col_vector(y.columns()); // the next argument needs room for ghosts
      x.set_owned(y.owned_to_host());
    }
  }
  return x;
}

/// An overflow is no product: said, and never written.
template <class T>
void require_finite(const Context& context, const DVector<T>& y, int power, const std::string& name) {
  const std::int64_t bad = count_not_finite<T>(context, y.owned_to_host());
  if (bad == 0) return;
  throw Error(ErrorKind::bad_input,
              fmt::format("{} of the product {} too large for {} precision{}", counted(bad, "value"),
                          bad == 1 ? "is" : "are", sizeof(T) == 4 ? "single" : "double",
                          power > 1 ? fmt::format(": lower --power {}, or scale the matrix or the vector", power)
                                    : ": scale the matrix or the vector"),
              name);
}

template <class T>
int multiply(Session& session, const MultiplyJob& job) {
  const Context& context = session.context;
  require_writable(context, job.output);

  Loaded<T> loaded = session.phase("read", [&] { return load_matrix<T>(context, job.matrix); });
  const std::string name = loaded.name;
  if (job.power != 1) require_square(name, loaded.rows.n_rows, loaded.rows.n_cols, "a power");
  const Distributed<T> system = distribute<T>(session, std::move(loaded), job.partition, {job.storage});
  const DSparseMatrix<T>& a = *system.matrix;

  // The argument lives on the columns of A, the result on its rows; the other way round for A'.
  const Numbering& from = job.transpose ? system.rows : system.columns;
  const Numbering& to = job.transpose ? system.columns : system.rows;
  DVector<T> x = session.phase(
      "read", [&] { return read_vector<T>(context, job.vector, job.transpose ? a.row_map() : a.col_map(), from); });
  const LocalIndex columns = x.columns();
  const DVector<T> y = session.phase("multiply", [&] { return product(system, job, std::move(x)); });
  require_finite(context, y, job.power, name);
  if (!job.output.empty()) session.phase("write", [&] { write_vector<T>(context, job.output, y, to); });
  const double norm = norm2(y);

  report_matrix(session, name, a.rows(), a.cols(), a.entries());
  report_ranks(session);
  report_cut(session, system.cut, context.size());
  report_storage(session, *system.matrix);
  session.report.set("transpose", job.transpose).set("power", job.power).set("columns", columns);
  session.report.set("norm", norm);
  session.summary.add("product", fmt::format("{}{}, {} of {}: norm of the result {:.6g}",
                                             job.transpose ? "transposed matrix" : "matrix",
                                             job.power == 1 ? "" : fmt::format(" to the power {}", job.power),
                                             counted(columns, "vector"), job.vector, norm));
  if (!job.output.empty()) session.summary.add("result", job.output);
  session.finish(a.rows());
  return 0;
}

} // namespace

int run(Session& session, Listener&, const CommonJob& common, const MultiplyJob& job) {
  return common.precision == "float" ? multiply<float>(session, job) : multiply<double>(session, job);
}

} // namespace atl::app
