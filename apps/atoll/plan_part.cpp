#include "plan_part.hpp"

#include "roofline_traffic.hpp"
#include "signals.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/comm/block_range.hpp>
#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/partition/local_order.hpp>
#include <atoll/solvers/registry.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace atl::app {

namespace {

/// The rows [begin, end) of a block.
template <class T>
RowBlock<T> slice(const RowBlock<T>& block, GlobalIndex begin, GlobalIndex end) {
  const auto first = block.offsets.begin() + (begin - block.row_begin);
  const auto last = block.offsets.begin() + (end - block.row_begin) + 1;
  RowBlock<T> part{block.n_rows, block.n_cols, begin, {first, last}, {}, {}};
  for (Offset& offset : part.offsets) offset -= *first;
  part.column.assign(block.column.begin() + *first, block.column.begin() + *(last - 1));
  part.value.assign(block.value.begin() + *first, block.value.begin() + *(last - 1));
  return part;
}

template <class T>
std::vector<GlobalIndex> ghosts_of(const RowBlock<T>& part) {
  std::vector<GlobalIndex> ghosts;
  for (const GlobalIndex c : part.column)
    if (c < part.row_begin || c >= part.row_end()) ghosts.push_back(c);
  std::sort(ghosts.begin(), ghosts.end());
  ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
  return ghosts;
}

/// A part as rank 0 of two, the other of which owns its ghosts, as rows without entries.
template <class T>
std::array<RowBlock<T>, 2> part_and_others(RowBlock<T>&& part, std::span<const GlobalIndex> ghosts) {
  const GlobalIndex begin = part.row_begin, rows = part.rows(), n = rows + std::ssize(ghosts);
  for (GlobalIndex& c : part.column)
    c = c >= begin && c < begin + rows ? c - begin
                                       : rows + (std::lower_bound(ghosts.begin(), ghosts.end(), c) - ghosts.begin());
  part.n_rows = part.n_cols = n;
  part.row_begin = 0;
  RowBlock<T> others{n, n, rows, std::vector<Offset>(ghosts.size() + 1, 0), {}, {}};
  return {std::move(part), std::move(others)};
}

template <class T>
std::shared_ptr<const DSparseMatrix<T>> build(const Context& context, RowBlock<T>&& rows,
                                              const PartSettings& settings) {
  Numbering numbering{rows.n_rows, rows.row_begin, rows.rows(), {}};
  if (settings.order_locally) rows = order_locally<T>(context, std::move(rows), std::move(numbering)).rows;
  return std::make_shared<const DSparseMatrix<T>>(
      DSparseMatrix<T>::from_rows(context, std::move(rows), -1, {.storage = settings.storage}));
}

/// Bytes of the vectors of a solve of no iterations, which makes them all. The answer is of no interest.
template <class T>
void add_solver(const std::shared_ptr<const DSparseMatrix<T>>& a, PartFigures& figures) {
  const auto jacobi = make_preconditioner<T>("jacobi");
  jacobi->setup(*a);
  DVector<T> b = a->make_row_vector(), x = a->make_col_vector();
  b.fill(T{1});
  MatrixOperator<T> a_operator(a);
  Cg<T> cg;
  static_cast<void>(cg.solve(a_operator, *jacobi, b, x, {.rtol = 0, .max_iterations = 0}));
  figures.rhs = static_cast<std::int64_t>(b.bytes());
  figures.answer = figures.kept = static_cast<std::int64_t>(x.bytes());
  figures.method = static_cast<std::int64_t>(cg.bytes());
  figures.preconditioner = static_cast<std::int64_t>(jacobi->bytes());
  figures.traffic = cg_traffic(*a, *jacobi);
}

template <class T>
void add_product(const DSparseMatrix<T>& a, PartFigures& figures) {
  figures.rhs = static_cast<std::int64_t>(a.make_row_vector().bytes()); // y
  figures.answer = static_cast<std::int64_t>(a.make_col_vector().bytes());
  figures.traffic = product_traffic(a);
}

/// All figures but those of what the part sends, which its own rows do not tell.
template <class T>
PartFigures measure_part(const Context& context, RowBlock<T>&& part, std::span<const GlobalIndex> ghosts,
                         const PartSettings& settings) {
  PartFigures figures;
  std::array<RowBlock<T>, 2> sides = part_and_others(std::move(part), ghosts);
  const auto rank = [&](const CommunicatorPtr& comm) {
    const Context here{comm, context.executor};
    PartFigures mine;
    mine.rows = sides[static_cast<std::size_t>(comm->rank())].rows();
    mine.entries = sides[static_cast<std::size_t>(comm->rank())].entries();
    const auto a = build<T>(here, std::move(sides[static_cast<std::size_t>(comm->rank())]), settings);
    if (settings.iterates)
      add_solver<T>(a, mine);
    else
      add_product<T>(*a, mine);
    mine.storage = static_cast<std::int64_t>(a->packed() ? a->split().bytes() : a->local().bytes());
    mine.maps = static_cast<std::int64_t>(a->row_map()->bytes() + a->col_map()->bytes());
    mine.halo = static_cast<std::int64_t>(a->bytes()) - mine.storage - mine.maps;
    mine.bytes_received = a->col_map()->n_ghosts() * std::int64_t{sizeof(T)};
    if (comm->rank() == 0) figures = mine;
  };
  run_virtual_cluster(2, rank, {.in_order = true, .check_collectives = false});
  return figures;
}

/// Who sends how much to whom, by part: what a part receives, another one sends.
struct Sent {
  std::vector<std::int64_t> messages, values;

  explicit Sent(std::size_t parts) : messages(parts), values(parts) {}

  /// Counts a part's ghosts; their owners are returned as messages received.
  std::int64_t add(std::span<const GlobalIndex> ghosts, std::span<const GlobalIndex> row_ranges) {
    std::int64_t received = 0;
    for (auto ghost = ghosts.begin(); ghost != ghosts.end(); ++received) {
      const auto after = std::upper_bound(row_ranges.begin(), row_ranges.end(), *ghost);
      const auto owner = static_cast<std::size_t>(after - row_ranges.begin()) - 1;
      const auto next = std::lower_bound(ghost, ghosts.end(), *after);
      ++messages[owner];
      values[owner] += next - ghost;
      ghost = next;
    }
    return received;
  }
};

/// Send lists, 4 bytes a value in the plan and in the exchange, and a buffer, twice where the executor's memory is not
/// the host's.
template <class T>
void add_sent(const Context& context, PartFigures& figures, std::int64_t messages, std::int64_t values) {
  const std::int64_t buffers = context.executor->host_accessible() ? 1 : 2;
  figures.messages_sent = messages;
  figures.bytes_sent = values * std::int64_t{sizeof(T)};
  figures.halo += values * 2 * std::int64_t{sizeof(LocalIndex)} + buffers * figures.bytes_sent;
}

} // namespace

template <class T>
std::vector<PartFigures> measure_parts(const Context& context, const PartedRows<T>& parted,
                                       const PartSettings& settings) {
  const auto parts = std::ssize(parted.row_ranges) - 1;
  const BlockRange dealt{parts, context.size()};
  const GlobalIndex first = dealt.begin(context.rank()), count = dealt.size(context.rank());
  Sent sent(static_cast<std::size_t>(parts));
  std::vector<PartFigures> figures;
  std::optional<PartFigures> empty; // all empty parts are alike
  agree(*context.comm, [&] {
    for (GlobalIndex p = first; p < first + count && pending_signal() == 0; ++p) {
      context.observer->progress(p - first, count);
      RowBlock<T> part = slice(parted.rows, parted.row_ranges[static_cast<std::size_t>(p)],
                               parted.row_ranges[static_cast<std::size_t>(p) + 1]);
      if (part.rows() == 0 && empty) {
        figures.push_back(*empty);
        continue;
      }
      const std::vector<GlobalIndex> ghosts = ghosts_of(part);
      figures.push_back(measure_part(context, std::move(part), ghosts, settings));
      figures.back().messages_received = sent.add(ghosts, parted.row_ranges);
      if (figures.back().rows == 0) empty = figures.back();
    }
    figures.resize(static_cast<std::size_t>(count));
  });
  context.comm->all_reduce(std::span(sent.messages), ReduceOp::sum);
  context.comm->all_reduce(std::span(sent.values), ReduceOp::sum);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::size_t p = static_cast<std::size_t>(first) + i;
    add_sent<T>(context, figures[i], sent.messages[p], sent.values[p]);
  }
  return figures;
}

template std::vector<PartFigures> measure_parts(const Context&, const PartedRows<float>&, const PartSettings&);
template std::vector<PartFigures> measure_parts(const Context&, const PartedRows<double>&, const PartSettings&);

} // namespace atl::app
