#include <atoll/comm/block_range.hpp>
#include <atoll/partition/block.hpp>
#include <atoll/partition/heavy_rows.hpp>

#include <algorithm>
#include <numeric>

namespace atl {
namespace {

/// Contiguous rows for each part. Every rank finds the starts inside its rows. Lengths `parts` and one a row, for
/// this step.
class Blocks {
 public:
  Blocks(Communicator& comm, const DGraph& graph, int parts)
      : comm_(comm), parts_(parts), n_(graph.n()), row_begin_(graph.map().owned_begin()), edge_(graph.rows() + 1) {
    const std::int64_t here = std::accumulate(graph.weight.begin(), graph.weight.end(), std::int64_t{0});
    edge_[0] = comm.exclusive_sum(here);
    for (LocalIndex i = 0; i < graph.rows(); ++i) {
      edge_[i + 1] = edge_[i] + graph.weight[i];
      heaviest_ = std::max<std::int64_t>(heaviest_, graph.weight[i]);
    }
    total_ = comm.all_reduce(here, ReduceOp::sum);
    heaviest_ = comm.all_reduce(heaviest_, ReduceOp::max);
  }

  /// First row of each part, and n at the end.
  std::vector<std::int64_t> starts(std::int64_t fair_weight) {
    std::vector<std::int64_t> wish = even_starts(fair_weight);
    const std::int64_t least = std::max(heaviest_, (total_ + parts_ - 1) / parts_);
    std::int64_t low = least, high = largest(wish);
    if (high <= least + least / 32) return wish; // near enough to what no cut can better
    while (low < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (fits(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return nearest_starts(wish, high);
  }

 private:
  LocalIndex rows() const { return static_cast<LocalIndex>(edge_.size() - 1); }
  std::int64_t row_end() const { return row_begin_ + rows(); }

  /// Where the running weight passes q / parts of the total, rows counting for `fair_weight` at most.
  std::vector<std::int64_t> even_starts(std::int64_t fair_weight) {
    const auto weight = [&](LocalIndex i) { return std::min(fair_weight, edge_[i + 1] - edge_[i]); };
    std::int64_t here = 0;
    for (LocalIndex i = 0; i < rows(); ++i) here += weight(i);
    std::int64_t before = comm_.exclusive_sum(here);
    std::vector<std::int64_t> start(parts_ + 1, n_);
    const BlockRange share{comm_.all_reduce(here, ReduceOp::sum), parts_};
    int q = 0;
    while (q < parts_ && share.begin(q) < before) ++q;
    for (LocalIndex i = 0; i < rows(); ++i) {
      // A part begins at the row whose left edge is nearest to its share of the weight.
      for (; q < parts_ && share.begin(q) < before + weight(i); ++q) {
        const bool near_left = 2 * (share.begin(q) - before) <= weight(i);
        start[q] = row_begin_ + i + (near_left ? 0 : 1);
      }
      before += weight(i);
    }
    comm_.all_reduce(std::span(start), ReduceOp::min);
    leave_none_empty(start);
    return start;
  }

  /// A heavy row may swallow several starts: one row a part at least.
  void leave_none_empty(std::vector<std::int64_t>& start) const {
    for (int p = 1; p < parts_; ++p) start[p] = std::max(start[p], start[p - 1] + 1);
    for (int p = parts_ - 1; p > 0; --p) start[p] = std::min<std::int64_t>(start[p], n_ - (parts_ - p));
  }

  /// The heaviest part.
  std::int64_t largest(const std::vector<std::int64_t>& start) {
    std::vector<std::int64_t> load(parts_, 0);
    for (int p = 0; p < parts_; ++p) {
      const std::int64_t first = std::max(start[p], row_begin_), last = std::min(start[p + 1], row_end());
      if (first < last) load[p] = edge_[last - row_begin_] - edge_[first - row_begin_];
    }
    comm_.all_reduce(std::span(load), ReduceOp::sum);
    return *std::max_element(load.begin(), load.end());
  }

  /// A cut in progress, handed from rank to rank.
  struct Place {
    std::int64_t part;   ///< the last that has a start
    std::int64_t weight; ///< before its first row
  };
  /// Calls step(place) rank by rank, upwards or downwards, each with what the one before it left.
  template <class Step>
  Place pass_along(bool upwards, Place place, const Step& step) {
    const int tag = comm_.next_tag(), last = comm_.size() - 1, rank = comm_.rank();
    if (rank != (upwards ? 0 : last))
      comm_.receive(std::as_writable_bytes(std::span(&place, 1)), upwards ? rank - 1 : rank + 1, tag)->wait();
    step(place);
    if (rank != (upwards ? last : 0))
      comm_.send(std::as_bytes(std::span(&place, 1)), upwards ? rank + 1 : rank - 1, tag)->wait();
    return place;
  }

  /// The last row here up to which a part that begins behind `weight` stays within the limit; row_end() where all do.
  std::int64_t reach(std::int64_t weight, std::int64_t limit) const {
    return row_begin_ + (std::upper_bound(edge_.begin(), edge_.end(), weight + limit) - edge_.begin()) - 1;
  }

  /// Whether the parts suffice when each is filled up to the limit.
  bool fits(std::int64_t limit) {
    const Place end = pass_along(true, {0, 0}, [&](Place& place) {
      for (std::int64_t row = reach(place.weight, limit); row < row_end(); row = reach(place.weight, limit)) {
        ++place.part;
        place.weight = edge_[row - row_begin_];
      }
    });
    return comm_.all_reduce(end.part, ReduceOp::max) < parts_;
  }

  /// Starts as near to those wished for as the limit allows. A start must not come before `earliest`, or the parts
  /// behind it would not hold the rest, nor beyond the reach of the part before it.
  std::vector<std::int64_t> nearest_starts(const std::vector<std::int64_t>& wish, std::int64_t limit) {
    const std::vector<std::int64_t> earliest = earliest_starts(limit);
    std::vector<std::int64_t> start(parts_ + 1, n_);
    if (row_begin_ == 0) start[0] = 0;
    pass_along(true, {0, 0}, [&](Place& place) {
      while (place.part + 1 < parts_) {
        const std::int64_t row =
            std::min(std::max(wish[place.part + 1], earliest[place.part + 1]), reach(place.weight, limit));
        if (row >= row_end()) return;
        start[++place.part] = row;
        place.weight = edge_[row - row_begin_];
      }
    });
    comm_.all_reduce(std::span(start), ReduceOp::min);
    leave_none_empty(start);
    return start;
  }

  /// The first row that each part may begin with when it and all behind it keep the limit.
  std::vector<std::int64_t> earliest_starts(std::int64_t limit) {
    std::vector<std::int64_t> start(parts_ + 1, 0);
    pass_along(false, {parts_, total_}, [&](Place& place) {
      while (place.part > 1) {
        const auto edge = std::lower_bound(edge_.begin(), edge_.end(), place.weight - limit);
        if (edge == edge_.begin()) return; // a rank below may know an earlier row
        start[--place.part] = row_begin_ + (edge - edge_.begin());
        place.weight = *edge;
      }
    });
    comm_.all_reduce(std::span(start), ReduceOp::max);
    return start;
  }

  Communicator& comm_;
  int parts_;
  std::int64_t n_, row_begin_;
  std::vector<std::int64_t> edge_; ///< weight of all rows before each row here, and at the end
  std::int64_t heaviest_ = 0, total_ = 0;
};

} // namespace

std::vector<int> partition_blocks(const Context& context, const DGraph& graph, int parts) {
  std::vector<int> part(graph.rows());
  const GlobalIndex row_begin = graph.map().owned_begin();
  if (graph.n() <= parts) {
    for (LocalIndex i = 0; i < graph.rows(); ++i) part[i] = static_cast<int>(row_begin + i);
    return part;
  }
  Communicator& comm = *context.comm;
  const std::vector<std::int64_t> start = Blocks(comm, graph, parts).starts(fair_weight(comm, graph, parts));
  int p = static_cast<int>(std::upper_bound(start.begin(), start.end(), row_begin) - start.begin()) - 1;
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    while (start[p + 1] <= row_begin + i) ++p;
    part[i] = p;
  }
  return part;
}

} // namespace atl
