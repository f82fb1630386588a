#include "commands.hpp"
#include "renumber.hpp"
#include "store_parts.hpp"
#include "symmetric.hpp"
#include "vectors.hpp"

#include <atoll/io/store.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

/// In original numbering; one triangle where the matrix is symmetric to the last bit. Returns whether it is.
bool write_matrix_market_file(const Context& context, const std::string& path, Loaded<double>&& loaded) {
  RowBlock<double> rows = to_original_rows<double>(context, std::move(loaded.rows), loaded.numbering);
  sort_rows(rows);
  const bool symmetric = is_exactly_symmetric(*context.comm, rows);
  write_matrix_market<double>(context, path, rows, symmetric);
  return symmetric;
}

/// A store keeps its parts and its vectors; anything else becomes one part.
void write_store_file(const Context& context, const ConvertJob& job, const Loaded<double>& loaded) {
  const std::vector<GlobalIndex> ranges = loaded.stored_parts > 0 ? read_row_ranges(context, job.matrix)
                                                                  : std::vector<GlobalIndex>{0, loaded.rows.n_rows};
  write_store<double>(context, job.output, loaded.rows, loaded.numbering, ranges,
                      {.compress = job.compress, .name = loaded.name}, loaded.vectors);
}

/// Vectors live in stores alone, and a new cut would have to move them.
void note_lost_vectors(const Context& context, const Loaded<double>& loaded, bool kept) {
  if (kept || loaded.vectors.empty()) return;
  std::string names;
  for (const StoredVector<double>& vector : loaded.vectors)
    names += fmt::format("{}{}", names.empty() ? "" : ", ", vector.name);
  context.observer->warning(fmt::format("vectors of the store are not written: {}; only a store with the same parts "
                                        "keeps them",
                                        names));
}

} // namespace

int run(Session& session, Listener&, const CommonJob&, const ConvertJob& job) {
  const Context& context = session.context;
  const OutputFormat format = output_format(job.output, {OutputFormat::matrix_market, OutputFormat::store});
  if (job.parts > 0 && format != OutputFormat::store)
    throw Error(ErrorKind::usage, "only a store (.h5) can be partitioned", job.output);
  if (job.model_problem_only) parse_model_problem(job.matrix);
  require_writable(context, job.output);

  Loaded<double> loaded = session.phase("read", [&] { return load_matrix<double>(context, job.matrix, true); });
  const std::string name = loaded.name, from = loaded.format;
  const GlobalIndex rows = loaded.rows.n_rows, cols = loaded.rows.n_cols;
  const Offset entries = context.comm->all_reduce(loaded.rows.entries(), ReduceOp::sum);

  std::optional<Partition> partition;
  if (job.parts > 0) {
    require_square(name, rows, cols, "a partition");
    partition = session.phase("partition", [&] { return cut_rows(context, loaded, job.parts, job.partition); });
  }
  note_lost_vectors(context, loaded, format == OutputFormat::store && !partition);
  bool symmetric = false;
  int parts = job.parts ? job.parts : std::max(1, loaded.stored_parts);
  session.phase("write", [&] {
    if (format == OutputFormat::matrix_market)
      symmetric = write_matrix_market_file(context, job.output, std::move(loaded));
    else if (partition)
      write_partitioned_store(context, job.output, std::move(loaded), partition->owner, job.parts, job.compress);
    else
      write_store_file(context, job, loaded);
  });
  if (format == OutputFormat::matrix_market) parts = 1;

  report_matrix(session, name, rows, cols, entries);
  report_ranks(session);
  if (partition)
    report_cut(session, {std::string(to_string(partition->method)), partition->why, partition->quality}, job.parts);
  session.report.set("input.format", from).set("output.file", job.output).set("output.parts", parts);
  session.report.set("output.format", format == OutputFormat::store ? "store" : "Matrix Market");
  if (format == OutputFormat::store) {
    session.report.set("output.symmetric", nullptr);
    session.summary.add("output", fmt::format("{}: store, {}", job.output, counted(parts, "part")));
  } else {
    session.report.set("output.symmetric", symmetric);
    session.summary.add("output", fmt::format("{}: Matrix Market, {}", job.output,
                                              symmetric ? "symmetric: the lower triangle" : "general"));
  }
  session.finish(rows);
  return 0;
}

} // namespace atl::app
