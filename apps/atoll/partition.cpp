#include "commands.hpp"
#include "store_parts.hpp"
#include "vectors.hpp"

#include <fmt/format.h>

namespace atl::app {

namespace {

/// The parts of rows in slabs, as doubles (exact), the scalar that Numbering carries.
std::vector<double> as_doubles(std::span<const int> owner) { return {owner.begin(), owner.end()}; }

/// One 0-based part number a row, in the order of the file.
void write_parts_text(const Context& context, const std::string& path, std::span<const int> owner,
                      const Numbering& numbering) {
  const std::vector<double> slab = to_original<double>(context, numbering, as_doubles(owner));
  std::string text;
  for (double part : slab) fmt::format_to(std::back_inserter(text), "{}\n", static_cast<int>(part));
  write_text_in_parallel(context, path, text);
}

} // namespace

int run(Session& session, Listener&, const CommonJob&, const PartitionJob& job) {
  const Context& context = session.context;
  const OutputFormat format = output_format(job.output, {OutputFormat::text, OutputFormat::store});
  require_writable(context, job.output);

  Loaded<double> loaded = session.phase("read", [&] { return load_matrix<double>(context, job.matrix); });
  const GlobalIndex rows = loaded.rows.n_rows;
  require_square(loaded.name, rows, loaded.rows.n_cols, "a partition");
  const std::string name = loaded.name;
  const Offset entries = context.comm->all_reduce(loaded.rows.entries(), ReduceOp::sum);

  Partition partition =
      session.phase("partition", [&] { return cut_rows(context, loaded, job.parts, job.partition); });
  session.phase("write", [&] {
    if (format == OutputFormat::text)
      write_parts_text(context, job.output, partition.owner, loaded.numbering);
    else
      write_partitioned_store(context, job.output, std::move(loaded), partition.owner, job.parts, job.compress);
  });

  report_matrix(session, name, rows, rows, entries);
  report_ranks(session);
  const PartitionQuality& quality = partition.quality;
  report_cut(session, {std::string(to_string(partition.method)), partition.why, quality}, job.parts);
  session.report.set("partition.rows_min", quality.rows_min)
      .set("partition.rows_max", quality.rows_max)
      .set("partition.imbalance_rows", quality.imbalance_rows)
      .set("partition.halo_max", quality.halo_max)
      .set("partition.empty_parts", quality.empty_parts);
  session.report.set("output", job.output);
  session.summary.add(
      "parts", fmt::format("{}: {} to {} each, at most {} of halo a part{}", job.parts, readable(quality.rows_min),
                           counted(quality.rows_max, "row"), counted(quality.halo_max, "value"),
                           quality.empty_parts ? fmt::format(", {} empty", quality.empty_parts) : ""));
  session.summary.add("output", job.output);
  session.finish(rows);
  return 0;
}

} // namespace atl::app
