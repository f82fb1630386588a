#include "commands.hpp"
#include "distribute.hpp"
#include "matrix_facts.hpp"
#include "renumber.hpp"
#include "spy.hpp"
#include "vectors.hpp"

#include <atoll/io/file_bytes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl::app {

namespace {

void report_entries(Session& session, const MatrixFacts& facts) {
  session.report.set("row_entries.min", facts.row_entries_min)
      .set("row_entries.mean", facts.row_entries_mean())
      .set("row_entries.max", facts.row_entries_max)
      .set("empty_rows", facts.empty_rows)
      .set("explicit_zeros", facts.explicit_zeros)
      .set("not_finite", facts.not_finite)
      .set("bandwidth.lower", facts.lower_bandwidth)
      .set("bandwidth.upper", facts.upper_bandwidth)
      .set("norms.frobenius", facts.norm_frobenius)
      .set("norms.inf", facts.norm_inf)
      .set("norms.max_abs", facts.max_abs);
  session.summary.add("entries a row", fmt::format("{} to {}, {:.2f} on average; {}, {}", facts.row_entries_min,
                                                   readable(facts.row_entries_max), facts.row_entries_mean(),
                                                   counted(facts.empty_rows, "empty row"),
                                                   counted(facts.explicit_zeros, "stored zero")));
  if (facts.not_finite) session.summary.add("WARNING", counted(facts.not_finite, "entry") + " not finite");
  session.summary.add("bandwidth", fmt::format("{} below the diagonal, {} above", readable(facts.lower_bandwidth),
                                               readable(facts.upper_bandwidth)));
  session.summary.add("norms", fmt::format("Frobenius {:.6g}, largest row sum {:.6g}, largest entry {:.6g}",
                                           facts.norm_frobenius, facts.norm_inf, facts.max_abs));
}

void report_square(Session& session, const MatrixFacts& facts, const MatrixStructure& structure) {
  const SymmetryReport& symmetry = structure.symmetry;
  const std::string definite = definiteness(facts, symmetry.values, structure.components);
  session.report.set("matrix.symmetric", symmetry.values);
  session.report.set("symmetry.pattern", symmetry.pattern)
      .set("symmetry.values", symmetry.values)
      .set("symmetry.max_difference", symmetry.max_difference)
      .set("diagonal.missing", facts.diagonal_missing)
      .set("diagonal.zero", facts.diagonal_zero)
      .set("diagonal.positive", facts.diagonal_positive)
      .set("diagonal.negative", facts.diagonal_negative)
      .set("zero_row_sums", facts.zero_row_sums)
      .set("dominance.rows", facts.dominant)
      .set("dominance.strict_rows", facts.strictly_dominant)
      .set("gershgorin.low", facts.gershgorin_low)
      .set("gershgorin.high", facts.gershgorin_high)
      .set("definiteness", definite)
      .set("null_space_dimension", structure.null_space);
  if (structure.components)
    session.report.set("components", structure.components);
  else
    session.report.set("components", nullptr);

  session.summary.add("symmetry", symmetry.values    ? "symmetric"
                                  : symmetry.pattern ? fmt::format("pattern symmetric, values differ by up to {:.3g}",
                                                                   symmetry.max_difference)
                                                     : "nonsymmetric pattern");
  session.summary.add("diagonal", fmt::format("{} positive, {} negative, {} zero, {} missing",
                                              readable(facts.diagonal_positive), readable(facts.diagonal_negative),
                                              readable(facts.diagonal_zero), readable(facts.diagonal_missing)));
  session.summary.add("row sums",
                      fmt::format("{} of {} are zero", readable(facts.zero_row_sums), readable(facts.rows)));
  session.summary.add("dominance",
                      fmt::format("{} of {} rows diagonally dominant, {} strictly", readable(facts.dominant),
                                  readable(facts.rows), readable(facts.strictly_dominant)));
  session.summary.add("Gershgorin", fmt::format("real eigenvalues lie within [{:.6g}, {:.6g}]", facts.gershgorin_low,
                                                facts.gershgorin_high));
  session.summary.add("definiteness", definite);
  if (structure.components)
    session.summary.add("graph", fmt::format("{}{}", counted(structure.components, "connected component"),
                                             structure.null_space ? fmt::format("; constants in the null space of {}",
                                                                                readable(structure.null_space))
                                                                  : ""));
}

int describe_matrix(Session& session, const std::string& matrix) {
  const Context& context = session.context;
  Loaded<double> loaded = session.phase("read", [&] { return load_matrix<double>(context, matrix); });
  const std::string name = loaded.name;
  const bool square = loaded.rows.n_rows == loaded.rows.n_cols;
  session.report.set("format", loaded.format).set("parts", loaded.stored_parts);

  RowBlock<double> rows = session.phase(
      "distribute", [&] { return to_original_rows<double>(context, std::move(loaded.rows), loaded.numbering); });
  sort_rows(rows);
  const MatrixFacts facts = gather_facts(*context.comm, rows);
  const std::string picture = spy_picture(*context.comm, rows);

  report_matrix(session, name, facts.rows, facts.cols, facts.entries);
  session.summary.add("format", loaded.stored_parts
                                    ? fmt::format("{}, {}", loaded.format, counted(loaded.stored_parts, "part"))
                                    : loaded.format);
  report_entries(session, facts);
  if (square)
    report_square(session, facts, session.phase("setup", [&] { return find_structure(context, std::move(rows)); }));
  session.report.set("picture", picture);
  session.summary.add_block(picture + "\n");
  session.finish(facts.rows);
  return 0;
}

// ---- vectors

struct VectorFacts {
  double norm2 = 0, norm_inf = 0, sum = 0;
  double min = std::numeric_limits<double>::infinity(), max = -std::numeric_limits<double>::infinity();
};

VectorFacts vector_facts(Communicator& comm, std::span<const double> values) {
  VectorFacts facts;
  for (double v : values) {
    facts.norm2 += v * v;
    facts.sum += v;
    facts.norm_inf = std::max(facts.norm_inf, std::fabs(v));
    facts.min = std::min(facts.min, v);
    facts.max = std::max(facts.max, v);
  }
  double sums[2] = {facts.norm2, facts.sum}, most[3] = {facts.norm_inf, facts.max, -facts.min};
  comm.all_reduce(std::span<double>(sums), ReduceOp::sum);
  comm.all_reduce(std::span<double>(most), ReduceOp::max);
  return {std::sqrt(sums[0]), most[0], sums[1], -most[2], most[1]};
}

int describe_vector(Session& session, const std::string& path) {
  const Context& context = session.context;
  const DenseSlab<double> slab = session.phase("read", [&] { return read_slab<double>(context, path); });
  const VectorFacts facts = vector_facts(*context.comm, slab.values);
  const std::int64_t not_finite = count_not_finite<double>(context, slab.values);
  const double size = static_cast<double>(slab.rows) * slab.cols;

  session.report.set("vector.name", path).set("vector.rows", slab.rows).set("vector.cols", slab.cols);
  session.report.set("norms.two", facts.norm2)
      .set("norms.inf", facts.norm_inf)
      .set("min", facts.min)
      .set("max", facts.max)
      .set("mean", size > 0 ? facts.sum / size : 0)
      .set("not_finite", not_finite);
  session.summary.add("vector",
                      fmt::format("{}: {}, {}", path, counted(slab.rows, "row"), counted(slab.cols, "column")));
  session.summary.add("values",
                      size > 0 ? fmt::format("{:.6g} to {:.6g}, mean {:.6g}", facts.min, facts.max, facts.sum / size)
                               : "none");
  session.summary.add("norms", fmt::format("2-norm {:.6g}, largest {:.6g}", facts.norm2, facts.norm_inf));
  if (not_finite) session.summary.add("WARNING", counted(not_finite, "value") + " not finite");
  session.finish(slab.rows);
  return 0;
}

} // namespace

int run(Session& session, Listener&, const CommonJob&, const InfoJob& job) {
  return is_vector_file(session.context, job.matrix) ? describe_vector(session, job.matrix)
                                                     : describe_matrix(session, job.matrix);
}

} // namespace atl::app
