#include <atoll/comm/agree.hpp>
#include <atoll/core/release.hpp>
#include <atoll/partition/local_order.hpp>
#include <atoll/partition/renumber_columns.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace atl {
namespace {

/// A rank's rows as a graph among themselves.
template <class T>
class LocalGraph {
 public:
  explicit LocalGraph(const RowBlock<T>& block) : block_(block) {}

  LocalIndex rows() const { return block_.rows(); }
  Offset degree(LocalIndex row) const { return block_.offsets[row + 1] - block_.offsets[row]; }
  template <class Visit>
  void for_neighbours(LocalIndex row, const Visit& visit) const {
    for (Offset e = block_.offsets[row]; e < block_.offsets[row + 1]; ++e) {
      const GlobalIndex j = block_.column[e] - block_.row_begin;
      if (j >= 0 && j < block_.rows() && j != row) visit(static_cast<LocalIndex>(j));
    }
  }

 private:
  const RowBlock<T>& block_;
};

/// Breadth-first searches over the rows that are not placed yet.
template <class T>
class CuthillMcKee {
 public:
  explicit CuthillMcKee(const LocalGraph<T>& graph) : graph_(graph), seen_(static_cast<std::size_t>(graph.rows())) {
    order_.reserve(seen_.size());
  }

  std::vector<LocalIndex> reversed() && {
    for (LocalIndex row = 0; row < graph_.rows(); ++row) {
      if (seen_[row] == placed) continue;
      // The last level of a search holds rows far from its start: twice, for a start at the rim of the piece.
      LocalIndex start = row;
      for (int round = 0; round < 2; ++round) {
        const std::size_t first = order_.size();
        start = farthest(search(start, ++mark_));
        order_.resize(first);
      }
      search(start, placed);
    }
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  static constexpr std::uint32_t placed = std::numeric_limits<std::uint32_t>::max();

  /// Appends what can be reached, level by level, the neighbours of a row by ascending degree. Where the last level
  /// begins is returned.
  std::size_t search(LocalIndex start, std::uint32_t mark) {
    std::size_t level = order_.size(), next = level;
    order_.push_back(start);
    seen_[start] = mark;
    while (next < order_.size()) {
      level = next;
      for (const std::size_t end = order_.size(); next < end; ++next) {
        const auto found = static_cast<std::ptrdiff_t>(order_.size());
        graph_.for_neighbours(order_[next], [&](LocalIndex j) {
          if (seen_[j] == placed || seen_[j] == mark) return;
          seen_[j] = mark;
          order_.push_back(j);
        });
        std::stable_sort(order_.begin() + found, order_.end(),
                         [&](LocalIndex a, LocalIndex b) { return graph_.degree(a) < graph_.degree(b); });
      }
    }
    return level;
  }

  LocalIndex farthest(std::size_t level) const {
    return *std::min_element(order_.begin() + static_cast<std::ptrdiff_t>(level), order_.end(),
                             [&](LocalIndex a, LocalIndex b) { return graph_.degree(a) < graph_.degree(b); });
  }

  const LocalGraph<T>& graph_;
  std::vector<std::uint32_t> seen_; ///< the last search that reached a row
  std::vector<LocalIndex> order_;
  std::uint32_t mark_ = 0;
};

/// Mean distance of rows from their columns when row r stands at place_of(r).
template <class T, class Place>
double mean_distance(const LocalGraph<T>& graph, const Place& place_of) {
  double sum = 0, count = 0;
  for (LocalIndex r = 0; r < graph.rows(); ++r)
    graph.for_neighbours(r, [&](LocalIndex j) {
      sum += std::abs(static_cast<double>(place_of(r)) - static_cast<double>(place_of(j)));
      ++count;
    });
  return count > 0 ? sum / count : 0;
}

/// Rows that are near enough together for any cache are left alone.
constexpr double near_enough = 512;
constexpr double least_gain = 4;

/// The order for this rank's rows; empty where theirs is good.
template <class T>
std::vector<LocalIndex> find_order(const RowBlock<T>& block) {
  const LocalGraph<T> graph(block);
  const double before = mean_distance(graph, [](LocalIndex r) { return r; });
  if (before <= near_enough) return {};
  std::vector<LocalIndex> order = CuthillMcKee<T>(graph).reversed();
  std::vector<LocalIndex> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<LocalIndex>(i);
  const double after = mean_distance(graph, [&](LocalIndex r) { return place[r]; });
  if (after * least_gain > before) return {};
  return order;
}

/// One array of entries, row by row in the new order.
template <class V>
void permute(std::vector<V>& entries, std::span<const Offset> offsets, std::span<const LocalIndex> order) {
  std::vector<V> moved;
  moved.reserve(entries.size());
  for (const LocalIndex row : order)
    moved.insert(moved.end(), entries.begin() + offsets[row], entries.begin() + offsets[row + 1]);
  entries = std::move(moved);
}

/// Rows of the block, and their original numbers, in the new order.
template <class T>
void put_in_order(RowBlock<T>& block, Numbering& numbering, std::span<const LocalIndex> order) {
  permute(block.column, block.offsets, order);
  permute(block.value, block.offsets, order);
  std::vector<Offset> offsets{0};
  offsets.reserve(block.offsets.size());
  std::vector<GlobalIndex> original(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    offsets.push_back(offsets.back() + block.offsets[order[i] + 1] - block.offsets[order[i]]);
    original[i] = numbering.original(order[i]);
  }
  block.offsets = std::move(offsets);
  numbering.original_index = std::move(original);
}

} // namespace

template <class T>
Redistributed<T> order_locally(const Context& context, RowBlock<T>&& block, Numbering&& numbering) {
  std::vector<LocalIndex> order;
  agree(*context.comm, [&] { order = find_order(block); });
  const std::int64_t changed = context.comm->all_reduce(std::int64_t{!order.empty()}, ReduceOp::max);
  if (changed == 0) return {std::move(block), std::move(numbering)};
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(block.rows()));
    std::iota(order.begin(), order.end(), 0);
  }

  const HaloPlanPtr halo = HaloPlan::create(IndexMap::create(context.comm, block.rows(), list_ghosts(block)));
  std::vector<GlobalIndex> new_number(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) new_number[order[i]] = block.row_begin + static_cast<GlobalIndex>(i);
  renumber_columns<T>(block, halo, new_number);
  release(new_number);

  agree(*context.comm, [&] { put_in_order(block, numbering, order); });
  return {std::move(block), std::move(numbering)};
}

template Redistributed<float> order_locally(const Context&, RowBlock<float>&&, Numbering&&);
template Redistributed<double> order_locally(const Context&, RowBlock<double>&&, Numbering&&);

} // namespace atl
