#include "distribute.hpp"

#include "renumber.hpp"

#include <atoll/partition/local_order.hpp>
#include <atoll/partition/redistribute.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

/// A file of part numbers speaks of original rows; a store's rows may lie in another order.
template <class T>
void put_in_file_order(const Context& context, Loaded<T>& loaded) {
  loaded.rows = to_original_rows<T>(context, std::move(loaded.rows), loaded.numbering);
  loaded.numbering = slab_numbering(context, loaded.rows.n_rows);
}

} // namespace

template <class T>
Partition cut_rows(const Context& context, Loaded<T>& loaded, int parts, const PartitionOptions& options) {
  if (options.method == PartitionMethod::file) put_in_file_order(context, loaded);
  const DGraph graph = make_graph<T>(context, loaded.rows, options.weight_rows_by_entries);
  std::optional<Coordinates> coordinates;
  if (options.method == PartitionMethod::automatic || options.method == PartitionMethod::coordinates)
    coordinates = coordinates_of(loaded);
  return compute_partition(context, graph, parts, options, coordinates);
}

namespace {

template <class T>
Distributed<T> make_matrix(const Context& context, RowBlock<T>&& rows, Numbering numbering, Cut cut,
                           GlobalIndex owned_cols, const MatrixForm& form) {
  Distributed<T> result;
  const GlobalIndex n_cols = rows.n_cols;
  const bool square = owned_cols < 0;
  std::vector<GlobalIndex> order;
  if (form.reproducible)
    for (LocalIndex i = 0; i < rows.rows(); ++i) order.push_back(numbering.original(i));
  result.matrix = std::make_shared<const DSparseMatrix<T>>(DSparseMatrix<T>::from_rows(
      context, std::move(rows), owned_cols, {.storage = form.storage, .column_order = order}));
  result.columns = square ? numbering : slab_numbering(context, n_cols);
  result.rows = std::move(numbering);
  result.cut = std::move(cut);
  return result;
}

/// Nothing to cut: one rank, a rectangular matrix, or a store that was cut before.
template <class T>
std::optional<Cut> given_cut(Session& session, const Loaded<T>& loaded, const PartitionOptions& options) {
  if (loaded.rows.n_rows != loaded.rows.n_cols)
    return Cut{"block", "equal slabs of rows and of columns, for the matrix is not square", {}};
  // A file of parts is read on one rank too, so that a mistake in it shows before the job runs on many.
  if (session.context.size() == 1 && options.method != PartitionMethod::file) return Cut{"none", "one rank", {}};
  if (loaded.rows.n_rows == 0) return Cut{"none", "no rows", {}};
  if (!loaded.stored_layout || options.method != PartitionMethod::automatic) return std::nullopt;

  const std::vector<int> owner(static_cast<std::size_t>(loaded.rows.rows()), session.context.rank());
  const DGraph graph = make_graph<T>(session.context, loaded.rows, options.weight_rows_by_entries);
  return Cut{"stored", "the store has a part for each rank",
             measure_quality(session.context, graph, owner, session.context.size())};
}

} // namespace

template <class T>
Distributed<T> distribute(Session& session, Loaded<T>&& loaded, const PartitionOptions& options,
                          const MatrixForm& form) {
  const Context& context = session.context;
  const BlockRange columns{loaded.rows.n_cols, context.size()};
  const bool square = loaded.rows.n_rows == loaded.rows.n_cols;

  std::vector<int> owner;
  const Cut cut = session.phase("partition", [&] {
    if (std::optional<Cut> given = given_cut(session, loaded, options)) return *given;
    Partition partition = cut_rows(context, loaded, context.size(), options);
    owner = std::move(partition.owner);
    return Cut{std::string(to_string(partition.method)), partition.why, partition.quality};
  });
  const bool moves = cut.method != "none" && cut.method != "stored" && square;

  return session.phase("distribute", [&] {
    Redistributed<T> here{std::move(loaded.rows), std::move(loaded.numbering)};
    if (moves) here = redistribute<T>(context, std::move(here.rows), std::move(owner), here.numbering);
    if (square && options.order_locally)
      here = order_locally<T>(context, std::move(here.rows), std::move(here.numbering));
    return make_matrix<T>(context, std::move(here.rows), std::move(here.numbering), cut,
                          square ? -1 : columns.size(context.rank()), form);
  });
}

void require_square(const std::string& name, GlobalIndex rows, GlobalIndex cols, std::string_view for_what) {
  if (rows != cols)
    throw Error(ErrorKind::bad_input,
                fmt::format("the matrix is {} x {}, and {} needs a square one", rows, cols, for_what), name);
}

void report_matrix(Session& session, const std::string& name, GlobalIndex rows, GlobalIndex cols, Offset entries,
                   std::optional<bool> symmetric) {
  session.report.set("matrix.name", name)
      .set("matrix.rows", rows)
      .set("matrix.cols", cols)
      .set("matrix.nnz", entries);
  if (symmetric)
    session.report.set("matrix.symmetric", *symmetric);
  else
    session.report.set("matrix.symmetric", nullptr);
  const std::string size =
      rows == cols ? counted(rows, "row") : fmt::format("{}, {}", counted(rows, "row"), counted(cols, "column"));
  session.summary.add("matrix", fmt::format("{}: {}, {}{}", name, size, counted(entries, "entry"),
                                            symmetric.value_or(false) ? ", symmetric" : ""));
}

namespace {

/// What the heaviest row makes unavoidable, where it is worth a word.
std::string least_imbalance(const PartitionQuality& quality) {
  if (quality.imbalance_least < 0.001) return {};
  return fmt::format(" (no less than {} %, for one row is that heavy)", readable(100 * quality.imbalance_least));
}

} // namespace

template <class T>
void report_storage(Session& session, const DSparseMatrix<T>& a) {
  constexpr StorageForm forms[] = {StorageForm::stencil, StorageForm::sell, StorageForm::block, StorageForm::csr};
  std::int64_t sums[6] = {};
  if (a.packed()) {
    for (std::size_t f = 0; f < 4; ++f) sums[f] = a.split().owned.entries_in(forms[f]);
    sums[4] = a.split().halo.entries();
    sums[5] = static_cast<std::int64_t>(a.split().bytes());
  } else {
    sums[3] = a.local().entries();
    sums[5] = static_cast<std::int64_t>(a.local().bytes());
  }
  session.context.comm->all_reduce(std::span<std::int64_t>(sums), ReduceOp::sum);
  const std::int64_t plain = a.entries() * std::int64_t{sizeof(T) + sizeof(LocalIndex)} + a.rows() * 4;
  session.report.set("storage.bytes", sums[5]).set("storage.csr_bytes", plain).set("storage.halo_entries", sums[4]);
  std::string text;
  for (std::size_t f = 0; f < 4; ++f) {
    session.report.set(fmt::format("storage.entries.{}", to_string(forms[f])), sums[f]);
    if (sums[f] == 0) continue;
    text += fmt::format("{}{} {:.3g} %", text.empty() ? "" : ", ", to_string(forms[f]),
                        100 * static_cast<double>(sums[f]) / static_cast<double>(a.entries()));
  }
  if (a.rows() == 0 || text.empty()) return;
  const auto a_row = [&](std::int64_t bytes) { return static_cast<double>(bytes) / static_cast<double>(a.rows()); };
  session.summary.add("storage", fmt::format("{} of the entries: {:.3g} bytes a row, {:.3g} in plain rows (CSR)",
                                             text, a_row(sums[5]), a_row(plain)));
}

void report_cut(Session& session, const Cut& cut, int parts) {
  const PartitionQuality& quality = cut.quality;
  session.report.set("partition.method", cut.method)
      .set("partition.why", cut.why)
      .set("partition.parts", parts)
      .set("partition.edge_cut", quality.edge_cut)
      .set("partition.imbalance", quality.imbalance)
      .set("partition.imbalance_least", quality.imbalance_least)
      .set("partition.neighbors_max", quality.neighbors_max)
      .set("partition.halo_total", quality.halo_total);
  std::string text = fmt::format("{} ({})", cut.method, cut.why);
  if (cut.method != "none")
    text += fmt::format(": edge cut {}, imbalance {} %{}, at most {}, halo {}", readable(quality.edge_cut),
                        readable(100 * quality.imbalance), least_imbalance(quality),
                        counted(quality.neighbors_max, "neighbour"), counted(quality.halo_total, "value"));
  session.summary.add("partition", text);
}

template Partition cut_rows(const Context&, Loaded<float>&, int, const PartitionOptions&);
template Partition cut_rows(const Context&, Loaded<double>&, int, const PartitionOptions&);
template void report_storage(Session&, const DSparseMatrix<float>&);
template void report_storage(Session&, const DSparseMatrix<double>&);
template Distributed<float> distribute(Session&, Loaded<float>&&, const PartitionOptions&, const MatrixForm&);
template Distributed<double> distribute(Session&, Loaded<double>&&, const PartitionOptions&, const MatrixForm&);

} // namespace atl::app
