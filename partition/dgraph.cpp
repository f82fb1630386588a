#include <atoll/comm/agree.hpp>
#include <atoll/partition/dgraph.hpp>
#include <atoll/partition/routing.hpp>

#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <optional>
#include <tuple>

namespace atl {
namespace {

/// The columns of a block, strictly ascending in each row: borrowed where they are, else a sorted copy.
class SortedColumns {
 public:
  template <class T>
  explicit SortedColumns(const RowBlock<T>& block) : offsets_(block.offsets), columns_(block.column) {
    for (LocalIndex i = 0; i < rows(); ++i) {
      const auto columns = row(i);
      if (std::adjacent_find(columns.begin(), columns.end(), std::greater_equal<>()) == columns.end()) continue;
      copy();
      return;
    }
  }
  SortedColumns(const SortedColumns&) = delete;

  LocalIndex rows() const { return static_cast<LocalIndex>(offsets_.size() - 1); }
  std::span<const GlobalIndex> row(LocalIndex i) const {
    return columns_.subspan(offsets_[i], offsets_[i + 1] - offsets_[i]);
  }
  bool contains(LocalIndex i, GlobalIndex column) const {
    const auto columns = row(i);
    return std::binary_search(columns.begin(), columns.end(), column);
  }

 private:
  void copy() {
    own_offsets_.assign(1, 0);
    for (LocalIndex i = 0; i < rows(); ++i) {
      own_columns_.insert(own_columns_.end(), row(i).begin(), row(i).end());
      const auto begin = own_columns_.begin() + own_offsets_.back();
      std::sort(begin, own_columns_.end());
      own_columns_.erase(std::unique(begin, own_columns_.end()), own_columns_.end());
      own_offsets_.push_back(static_cast<Offset>(own_columns_.size()));
    }
    offsets_ = own_offsets_;
    columns_ = own_columns_;
  }

  std::span<const Offset> offsets_;
  std::span<const GlobalIndex> columns_;
  std::vector<Offset> own_offsets_;
  std::vector<GlobalIndex> own_columns_;
};

/// An entry (row, column) that one rank has stored, told to the owner of its column.
struct Edge {
  GlobalIndex row, column;
};

/// Edge column -> row that the owner of `column` has not stored.
struct MissingEdge {
  LocalIndex row;
  GlobalIndex column;
  auto operator<=>(const MissingEdge&) const = default;
};

/// Walks over the entries of a slab whose column another rank owns, a bounded number at a time.
class RemoteEntries {
 public:
  RemoteEntries(const SortedColumns& columns, GlobalIndex row_begin) : columns_(columns), row_begin_(row_begin) {}

  bool more() const { return row_ < columns_.rows(); }
  std::vector<Edge> next(std::size_t most) {
    std::vector<Edge> edges;
    for (; row_ < columns_.rows(); ++row_, entry_ = 0)
      for (const auto columns = columns_.row(row_); entry_ < columns.size(); ++entry_) {
        if (edges.size() == most) return edges;
        const GlobalIndex column = columns[entry_];
        if (column < row_begin_ || column >= row_begin_ + columns_.rows())
          edges.push_back({row_begin_ + row_, column});
      }
    return edges;
  }

 private:
  const SortedColumns& columns_;
  GlobalIndex row_begin_;
  LocalIndex row_ = 0;
  std::size_t entry_ = 0;
};

void sort_unique(std::vector<GlobalIndex>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// What a slab's own columns do not say: the rows of other ranks that are neighbours here, and which entries have
/// no mirror.
struct Surroundings {
  std::vector<MissingEdge> missing; ///< sorted, unique
  std::vector<Edge> one_way;        ///< the entries that made edges missing, told back to their rows; sorted
  std::vector<GlobalIndex> ghosts;  ///< sorted, unique
};

void find_missing_here(const SortedColumns& columns, GlobalIndex row_begin, std::vector<MissingEdge>& missing) {
  for (LocalIndex i = 0; i < columns.rows(); ++i)
    for (const GlobalIndex column : columns.row(i)) {
      const GlobalIndex j = column - row_begin;
      if (j < 0 || j >= columns.rows() || j == i) continue;
      if (!columns.contains(static_cast<LocalIndex>(j), row_begin + i))
        missing.push_back({static_cast<LocalIndex>(j), row_begin + i});
    }
}

/// The owner of an edge's column says which are missing: their rows' owners learn it here. Collective.
std::vector<Edge> entries_without_mirror(const CommunicatorPtr& comm, const RowRanges& ranges, GlobalIndex row_begin,
                                         const std::vector<MissingEdge>& missing) {
  std::vector<Edge> edges;
  edges.reserve(missing.size());
  for (const MissingEdge& edge : missing) edges.push_back({edge.column, row_begin + edge.row});
  std::vector<Edge> mine = route(comm, edges, [&](const Edge& edge) { return ranges.owner(edge.row); }).items;
  std::sort(mine.begin(), mine.end(),
            [](const Edge& a, const Edge& b) { return std::tie(a.row, a.column) < std::tie(b.row, b.column); });
  return mine;
}

/// Shows entries with a column elsewhere to its owner, who notes those that it has not, in rounds of bounded
/// size. Only what is missing is kept. Collective.
Surroundings look_around(const CommunicatorPtr& comm, const SortedColumns& columns, GlobalIndex row_begin) {
  constexpr std::size_t most = std::size_t{1} << 20;
  Surroundings found;
  find_missing_here(columns, row_begin, found.missing);

  const RowRanges ranges(*comm, row_begin);
  const auto owner = [&](const Edge& edge) { return ranges.owner(edge.column); };
  RemoteEntries remote(columns, row_begin);
  std::size_t sorted = 0;
  std::int64_t more = 1;
  while (more != 0) {
    std::vector<Edge> edges = remote.next(most);
    for (const Edge& edge : edges) found.ghosts.push_back(edge.column);
    if (found.ghosts.size() > 2 * sorted + most) {
      sort_unique(found.ghosts);
      sorted = found.ghosts.size();
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.column < b.column; });
    BulkExchange plan(comm, count_destinations(edges, owner));
    std::vector<Offset> begin(1, 0);
    for (const PeerCount& peer : plan.destinations()) begin.push_back(begin.back() + peer.count);
    plan.run(
        sizeof(Edge),
        [&](std::size_t d, Offset first, Offset count, std::byte* out) {
          std::memcpy(out, edges.data() + begin[d] + first, count * sizeof(Edge));
        },
        [&](std::size_t, Offset, Offset count, const std::byte* in) {
          for (Offset k = 0; k < count; ++k) {
            Edge edge;
            std::memcpy(&edge, in + k * sizeof(Edge), sizeof(Edge));
            const auto row = static_cast<LocalIndex>(edge.column - row_begin);
            if (!columns.contains(row, edge.row)) found.missing.push_back({row, edge.row});
          }
        });
    more = comm->all_reduce(std::int64_t{remote.more()}, ReduceOp::max);
  }

  std::sort(found.missing.begin(), found.missing.end());
  found.missing.erase(std::unique(found.missing.begin(), found.missing.end()), found.missing.end());
  for (const MissingEdge& edge : found.missing)
    if (edge.column < row_begin || edge.column >= row_begin + columns.rows()) found.ghosts.push_back(edge.column);
  sort_unique(found.ghosts);
  found.one_way = entries_without_mirror(comm, ranges, row_begin, found.missing);
  return found;
}

/// Rows of the graph: the slab's columns without the diagonal, and what was missing, in local numbers.
void fill_rows(DGraph& graph, const SortedColumns& columns, const Surroundings& around) {
  const std::vector<MissingEdge>& missing = around.missing;
  const LocalIndex n = columns.rows();
  const GlobalIndex row_begin = graph.map().owned_begin();
  graph.offsets.assign(n + 1, 0);
  for (LocalIndex i = 0; i < n; ++i)
    graph.offsets[i + 1] = static_cast<Offset>(columns.row(i).size()) - columns.contains(i, row_begin + i);
  for (const MissingEdge& edge : missing) ++graph.offsets[edge.row + 1];
  for (LocalIndex i = 0; i < n; ++i) graph.offsets[i + 1] += graph.offsets[i];

  graph.neighbour.resize(graph.offsets[n]);
  auto next = missing.begin();
  auto one_way = around.one_way.begin();
  for (LocalIndex i = 0; i < n; ++i) {
    Offset at = graph.offsets[i];
    for (const GlobalIndex column : columns.row(i)) {
      if (column == row_begin + i) continue;
      if (one_way != around.one_way.end() && one_way->row == row_begin + i && one_way->column == column) {
        graph.one_way.push_back(at);
        ++one_way;
      }
      graph.neighbour[at++] = graph.map().to_local(column);
    }
    for (; next != missing.end() && next->row == i; ++next)
      graph.neighbour[at++] = graph.map().to_local(next->column);
  }
}

/// Entries of each row, or 1 where all rows are much alike. Collective.
std::vector<std::int32_t> row_weights(Communicator& comm, std::span<const Offset> offsets, GlobalIndex n,
                                      bool by_entries) {
  constexpr double alike = 1.5;
  const auto rows = static_cast<LocalIndex>(offsets.size() - 1);
  std::vector<std::int32_t> weight(rows, 1);
  if (!by_entries) return weight;
  std::int64_t longest = 0;
  for (LocalIndex i = 0; i < rows; ++i) longest = std::max(longest, offsets[i + 1] - offsets[i]);
  longest = comm.all_reduce(longest, ReduceOp::max);
  const std::int64_t entries = comm.all_reduce(offsets[rows] - offsets[0], ReduceOp::sum);
  if (static_cast<double>(longest) * static_cast<double>(n) <= alike * static_cast<double>(entries)) return weight;
  constexpr Offset most = std::numeric_limits<std::int32_t>::max();
  for (LocalIndex i = 0; i < rows; ++i)
    weight[i] = static_cast<std::int32_t>(std::clamp<Offset>(offsets[i + 1] - offsets[i], 1, most));
  return weight;
}

template <class T>
void check_block(const RowBlock<T>& block) {
  if (block.n_rows != block.n_cols)
    throw Error(ErrorKind::usage,
                fmt::format("only square matrices are partitioned: rows and columns must be numbered alike, "
                            "but this one has {} rows and {} columns",
                            block.n_rows, block.n_cols),
                "make_graph");
  for (const GlobalIndex column : block.column)
    if (column < 0 || column >= block.n_cols)
      throw Error(ErrorKind::bad_input, fmt::format("column {} is outside 0..{}", column, block.n_cols - 1),
                  "make_graph");
}

} // namespace

template <class T>
DGraph make_graph(const Context& context, const RowBlock<T>& block, bool weight_rows_by_entries) {
  Communicator& comm = *context.comm;
  std::optional<SortedColumns> columns;
  agree(comm, [&] {
    check_block(block);
    columns.emplace(block);
  });
  Surroundings around = look_around(context.comm, *columns, block.row_begin);
  DGraph graph;
  graph.halo = HaloPlan::create(IndexMap::create(context.comm, block.rows(), std::move(around.ghosts)));
  agree(comm, [&] { fill_rows(graph, *columns, around); });
  graph.weight = row_weights(comm, block.offsets, block.n_rows, weight_rows_by_entries);
  return graph;
}

template DGraph make_graph(const Context&, const RowBlock<float>&, bool);
template DGraph make_graph(const Context&, const RowBlock<double>&, bool);

} // namespace atl
