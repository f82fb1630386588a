#include <atoll/comm/agree.hpp>
#include <atoll/comm/block_range.hpp>
#include <atoll/partition/coordinates.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A set of rows that will become parts first .. first + parts - 1.
struct Box {
  int first = 0;
  int parts = 1;
  int axis = 0;
  double cut_value = 0; ///< rows go left with (coordinate, number) < (cut_value, cut_row)
  double cut_row = 0;
};

/// Search for the key at which the running weight of one box passes `target`: it lies in [low, high], and
/// keys under low weigh `below`.
struct Search {
  double low = infinity, high = -infinity;
  std::int64_t below = 0, target = 0;

  bool done() const { return !(low < high); }
  /// Which of `bins` equal intervals of [low, high] holds key: ascending in key, low in the first, high in
  /// the last.
  int bin(double key, int bins) const {
    double width = high - low, from_low = key - low;
    if (!std::isfinite(width)) {
      width = high / 2 - low / 2;
      from_low = key / 2 - low / 2;
    }
    return std::min(bins - 1, static_cast<int>(from_low / width * bins));
  }
};

void reduce_bounds(Communicator& comm, std::vector<Search>& searches) {
  std::vector<double> bounds;
  for (const Search& search : searches) {
    bounds.push_back(search.low);
    bounds.push_back(-search.high);
  }
  comm.all_reduce(std::span(bounds), ReduceOp::min);
  for (std::size_t b = 0; b < searches.size(); ++b) {
    searches[b].low = bounds[2 * b];
    searches[b].high = -bounds[2 * b + 1];
  }
}

/// Narrows every search to one key. box_of(i) is the search that row i takes part in, or -1. A few rounds: a
/// histogram, the bin that holds the target, the keys in it. Collective.
template <class BoxOf, class Key>
void select(Communicator& comm, std::span<const std::int32_t> weight, const BoxOf& box_of, const Key& key,
            std::vector<Search>& searches) {
  const auto rows = static_cast<LocalIndex>(weight.size());
  const int bins = std::clamp(65536 / static_cast<int>(searches.size()), 8, 256);
  for (LocalIndex i = 0; i < rows; ++i)
    if (const int b = box_of(i); b >= 0) {
      searches[b].low = std::min(searches[b].low, key(i));
      searches[b].high = std::max(searches[b].high, key(i));
    }
  reduce_bounds(comm, searches);

  while (!std::all_of(searches.begin(), searches.end(), [](const Search& s) { return s.done(); })) {
    std::vector<std::int64_t> histogram(searches.size() * bins, 0);
    const auto bin_of = [&](LocalIndex i, int b) {
      const double k = key(i);
      return k < searches[b].low || k > searches[b].high ? -1 : searches[b].bin(k, bins);
    };
    for (LocalIndex i = 0; i < rows; ++i)
      if (const int b = box_of(i); b >= 0 && !searches[b].done())
        if (const int bin = bin_of(i, b); bin >= 0) histogram[std::size_t(b) * bins + bin] += weight[i];
    comm.all_reduce(std::span(histogram), ReduceOp::sum);

    std::vector<int> chosen(searches.size(), 0);
    for (std::size_t b = 0; b < searches.size(); ++b) {
      if (searches[b].done()) continue;
      const std::int64_t* count = histogram.data() + b * bins;
      int last = bins - 1; // the last bin is never empty; stop there if rounding passes the end
      while (chosen[b] < last && searches[b].below + count[chosen[b]] <= searches[b].target)
        searches[b].below += count[chosen[b]++];
    }
    std::vector<Search> narrowed = searches;
    for (std::size_t b = 0; b < searches.size(); ++b)
      if (!searches[b].done()) narrowed[b].low = infinity, narrowed[b].high = -infinity;
    for (LocalIndex i = 0; i < rows; ++i)
      if (const int b = box_of(i); b >= 0 && !searches[b].done() && bin_of(i, b) == chosen[b]) {
        narrowed[b].low = std::min(narrowed[b].low, key(i));
        narrowed[b].high = std::max(narrowed[b].high, key(i));
      }
    reduce_bounds(comm, narrowed);
    searches = std::move(narrowed);
  }
}

/// One run of the method; rows keep the number of their box.
class Bisection {
 public:
  Bisection(Communicator& comm, const DGraph& graph, const Coordinates& coordinates)
      : comm_(comm), graph_(graph), coordinates_(coordinates), box_(graph.rows(), 0) {}

  std::vector<int> run(int parts) {
    boxes_.assign(1, Box{0, parts});
    while (std::any_of(boxes_.begin(), boxes_.end(), [](const Box& box) { return box.parts > 1; })) {
      choose_axes();
      find_cuts();
      split();
    }
    for (int& box : box_) box = boxes_[box].first;
    return std::move(box_);
  }

 private:
  double coordinate(LocalIndex i, int axis) const {
    return coordinates_.values[static_cast<std::size_t>(i) * coordinates_.dimension + axis];
  }
  double number(LocalIndex i) const { return static_cast<double>(graph_.map().to_global(i)); }

  void choose_axes() {
    const int d = coordinates_.dimension;
    std::vector<double> bounds(boxes_.size() * d * 2, infinity);
    for (LocalIndex i = 0; i < graph_.rows(); ++i)
      for (int axis = 0; axis < d; ++axis) {
        double* bound = &bounds[(std::size_t(box_[i]) * d + axis) * 2];
        bound[0] = std::min(bound[0], coordinate(i, axis));
        bound[1] = std::min(bound[1], -coordinate(i, axis));
      }
    comm_.all_reduce(std::span(bounds), ReduceOp::min);
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      double longest = -infinity;
      for (int axis = 0; axis < d; ++axis) {
        const double* bound = &bounds[(b * d + axis) * 2];
        const double extent = -bound[1] - bound[0];
        if (extent < longest * (1 - 1e-12)) continue; // equal but for rounding: the later axis
        boxes_[b].axis = axis;
        longest = std::max(longest, extent);
      }
    }
  }

  void find_cuts() {
    std::vector<std::int64_t> weight(boxes_.size(), 0);
    for (LocalIndex i = 0; i < graph_.rows(); ++i) weight[box_[i]] += graph_.weight[i];
    comm_.all_reduce(std::span(weight), ReduceOp::sum);
    std::vector<Search> values(boxes_.size());
    for (std::size_t b = 0; b < boxes_.size(); ++b)
      values[b].target = BlockRange{weight[b], boxes_[b].parts}.begin(boxes_[b].parts / 2);

    const auto on_axis = [&](LocalIndex i) { return coordinate(i, boxes_[box_[i]].axis); };
    select(
        comm_, graph_.weight, [&](LocalIndex i) { return boxes_[box_[i]].parts > 1 ? box_[i] : -1; }, on_axis,
        values);
    // Among the rows at that value, by number.
    std::vector<Search> numbers(boxes_.size());
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      boxes_[b].cut_value = values[b].low;
      numbers[b].below = values[b].below;
      numbers[b].target = values[b].target;
    }
    const auto at_cut = [&](LocalIndex i) {
      const Box& box = boxes_[box_[i]];
      return box.parts > 1 && on_axis(i) == box.cut_value ? box_[i] : -1;
    };
    select(
        comm_, graph_.weight, at_cut, [&](LocalIndex i) { return number(i); }, numbers);
    place_last_rows(numbers);
  }

  /// The row that the cut falls on goes to the side where the weights are nearer to the target.
  void place_last_rows(const std::vector<Search>& numbers) {
    std::vector<std::int64_t> last(boxes_.size(), 0);
    for (LocalIndex i = 0; i < graph_.rows(); ++i) {
      const Box& box = boxes_[box_[i]];
      if (box.parts > 1 && number(i) == numbers[box_[i]].low) last[box_[i]] = graph_.weight[i];
    }
    comm_.all_reduce(std::span(last), ReduceOp::max);
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      const bool left = 2 * (numbers[b].target - numbers[b].below) > last[b];
      boxes_[b].cut_row = numbers[b].low + (left ? 1 : 0);
    }
  }

  void split() {
    std::vector<Box> halves;
    std::vector<int> left_half(boxes_.size());
    for (std::size_t b = 0; b < boxes_.size(); ++b) {
      const Box& box = boxes_[b];
      left_half[b] = static_cast<int>(halves.size());
      const int left = box.parts / 2;
      if (box.parts > 1) halves.push_back({box.first, left});
      halves.push_back({box.first + (box.parts > 1 ? left : 0), box.parts - (box.parts > 1 ? left : 0)});
    }
    for (LocalIndex i = 0; i < graph_.rows(); ++i) {
      const Box& box = boxes_[box_[i]];
      const double x = coordinate(i, box.axis);
      const bool right = box.parts > 1 && (x > box.cut_value || (x == box.cut_value && number(i) >= box.cut_row));
      box_[i] = left_half[box_[i]] + (right ? 1 : 0);
    }
    boxes_ = std::move(halves);
  }

  Communicator& comm_;
  const DGraph& graph_;
  const Coordinates& coordinates_;
  std::vector<int> box_;
  std::vector<Box> boxes_;
};

void check_coordinates(const DGraph& graph, const Coordinates& coordinates) {
  const auto wanted = static_cast<std::size_t>(graph.rows()) * std::max(coordinates.dimension, 0);
  if (coordinates.dimension < 1 || coordinates.values.size() != wanted)
    throw Error(ErrorKind::usage,
                fmt::format("{} coordinates of dimension {} were given for {} rows; dimension values a row "
                            "are expected",
                            coordinates.values.size(), coordinates.dimension, graph.rows()),
                "partitioner coordinates");
  for (std::size_t k = 0; k < coordinates.values.size(); ++k)
    if (!std::isfinite(coordinates.values[k]))
      throw Error(ErrorKind::usage,
                  fmt::format("coordinate {} of row {} is not finite", k % coordinates.dimension,
                              graph.map().owned_begin() + static_cast<GlobalIndex>(k) / coordinates.dimension),
                  "partitioner coordinates");
}

} // namespace

std::vector<int> partition_coordinates(const Context& context, const DGraph& graph, int parts,
                                       const Coordinates& coordinates) {
  Communicator& comm = *context.comm;
  agree(comm, [&] { check_coordinates(graph, coordinates); });
  if (comm.all_reduce(std::int64_t{coordinates.dimension}, ReduceOp::min) !=
      comm.all_reduce(std::int64_t{coordinates.dimension}, ReduceOp::max))
    throw Error(ErrorKind::usage, "the ranks gave coordinates of different dimensions", "partitioner coordinates");
  return Bisection(comm, graph, coordinates).run(parts);
}

} // namespace atl
