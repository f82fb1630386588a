#include "commands.hpp"
#include "distribute.hpp"
#include "plan_report.hpp"

#include <atoll/core/options.hpp>
#include <atoll/core/random.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace atl::app {

namespace {

/// Whether A looks like its transpose: x'Ay and y'Ax agree for random x and y, nearly to rounding. No entry travels.
/// Collective.
template <class T>
bool looks_symmetric(const Context& context, const RowBlock<T>& rows) {
  const auto x = [](GlobalIndex i) { return hash_uniform(1, static_cast<std::uint64_t>(i)); };
  const auto y = [](GlobalIndex i) { return hash_uniform(2, static_cast<std::uint64_t>(i)); };
  double sums[2] = {};
  for (LocalIndex r = 0; r < rows.rows(); ++r) {
    const GlobalIndex i = rows.row_begin + r;
    const double xi = x(i), yi = y(i);
    for (Offset e = rows.offsets[static_cast<std::size_t>(r)]; e < rows.offsets[static_cast<std::size_t>(r) + 1];
         ++e) {
      const GlobalIndex j = rows.column[static_cast<std::size_t>(e)];
      const auto value = static_cast<double>(rows.value[static_cast<std::size_t>(e)]);
      sums[0] += value * (xi * y(j) - x(j) * yi);
      sums[1] += std::abs(value);
    }
  }
  context.comm->all_reduce(std::span<double>(sums), ReduceOp::sum);
  return std::abs(sums[0]) <= (sizeof(T) == 4 ? 1e-6 : 1e-10) * sums[1];
}

/// The part of each row of a store that was cut so before.
template <class T>
std::vector<int> stored_owner(const Context& context, const Loaded<T>& loaded, const std::string& path) {
  const std::vector<GlobalIndex> ranges = read_row_ranges(context, path);
  std::vector<int> owner;
  for (GlobalIndex i = loaded.rows.row_begin; i < loaded.rows.row_end(); ++i)
    owner.push_back(static_cast<int>(std::upper_bound(ranges.begin(), ranges.end(), i) - ranges.begin()) - 1);
  return owner;
}

/// The cut that a run on so many ranks would make, and the part of each row.
template <class T>
std::pair<Cut, std::vector<int>> cut(const Context& context, Loaded<T>& loaded, const PlanJob& job) {
  const auto rows = static_cast<std::size_t>(loaded.rows.rows());
  if (loaded.rows.n_rows == 0) return {{"none", "no rows", {}}, std::vector<int>(rows)};
  if (job.parts == 1 && job.partition.method != PartitionMethod::file)
    return {{"none", "one rank", {}}, std::vector<int>(rows)};
  if (loaded.stored_parts == job.parts && job.partition.method == PartitionMethod::automatic) {
    std::vector<int> owner = stored_owner(context, loaded, job.matrix);
    const DGraph graph = make_graph<T>(context, loaded.rows, job.partition.weight_rows_by_entries);
    Cut stored{"stored", "the store has a part for each rank", measure_quality(context, graph, owner, job.parts)};
    return {std::move(stored), std::move(owner)};
  }
  Partition partition = cut_rows(context, loaded, job.parts, job.partition);
  return {{std::string(to_string(partition.method)), partition.why, partition.quality}, std::move(partition.owner)};
}

/// The rows of each part in the order that a run gives them: that in which they were read.
template <class T>
PartedRows<T> part_rows(const Context& context, Loaded<T>&& loaded, std::span<const int> owner, int parts) {
  loaded.numbering = {loaded.rows.n_rows, loaded.rows.row_begin, loaded.rows.rows(), {}};
  return bring_parts_together<T>(context, std::move(loaded), owner, parts);
}

/// As the job gives it, or measured on the ranks that are here.
Bandwidth bandwidth_of(Session& session, const PlanJob& job) {
  const auto number = parse_real(job.bandwidth);
  session.report.set("plan.model.bandwidth_measured", !number);
  return session.phase("bandwidth",
                       [&] { return number ? one_rate(*number, 1) : measure_bandwidth(session.context); });
}

template <class T>
int plan(Session& session, const PlanJob& job) {
  const Context& context = session.context;
  Loaded<T> loaded = session.phase("read", [&] { return load_matrix<T>(context, job.matrix); });
  const std::string name = loaded.name;
  const GlobalIndex rows = loaded.rows.n_rows;
  require_square(name, rows, loaded.rows.n_cols, "a plan");
  const Offset entries = context.comm->all_reduce(loaded.rows.entries(), ReduceOp::sum);
  const bool symmetric = looks_symmetric(context, loaded.rows);

  auto [made, owner] = session.phase("partition", [&] { return cut(context, loaded, job); });
  const std::vector<PartFigures> figures = session.phase("parts", [&] {
    const PartedRows<T> parted = part_rows<T>(context, std::move(loaded), owner, job.parts);
    return measure_parts<T>(context, parted, {job.storage, job.partition.order_locally, symmetric});
  });

  PlanModel model{job.parts, symmetric ? 1 : 0, {}, job.network};
  model.bandwidth = bandwidth_of(session, job);
  const IterationSplit split = predict_iteration(context, model, figures);

  report_matrix(session, name, rows, rows, entries, symmetric);
  report_ranks(session);
  report_cut(session, made, job.parts);
  session.report.set("plan.method", symmetric ? "cg" : "product");
  session.summary.add("plan", fmt::format("{}, {}", counted(job.parts, "rank"),
                                          symmetric ? "conjugate gradients with Jacobi"
                                                    : "products alone, for the matrix is not symmetric"));
  report_parts(session, job.parts, figures);
  report_prediction(session, model, split);
  session.finish(rows);
  return 0;
}

} // namespace

int run(Session& session, Listener&, const CommonJob& common, const PlanJob& job) {
  return common.precision == "float" ? plan<float>(session, job) : plan<double>(session, job);
}

} // namespace atl::app
