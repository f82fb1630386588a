#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/islands.hpp>
#include <atoll/partition/part_moves.hpp>
#include <atoll/partition/routing.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>

namespace atl {
namespace {

/// Components of the owned rows alone, numbered by their first row.
Pieces find_local_pieces(const DGraph& graph, std::span<const int> part) {
  std::vector<LocalIndex> root(graph.rows());
  std::iota(root.begin(), root.end(), 0);
  const auto find = [&](LocalIndex i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (LocalIndex i = 0; i < graph.rows(); ++i)
    for (const LocalIndex j : graph.neighbours(i))
      if (j < i && part[j] == part[i]) {
        const LocalIndex a = find(i), b = find(j);
        root[std::max(a, b)] = std::min(a, b);
      }
  Pieces pieces{std::vector<LocalIndex>(graph.rows()), {}};
  for (LocalIndex i = 0; i < graph.rows(); ++i) {
    if (const LocalIndex r = find(i); r < i) {
      pieces.piece_of[i] = pieces.piece_of[r];
    } else {
      pieces.piece_of[i] = pieces.count();
      pieces.label.push_back(graph.map().to_global(i));
    }
  }
  return pieces;
}

/// Rounds that bring the labels of touching pieces together.
class LabelMerge {
 public:
  LabelMerge(const Context& context, const DGraph& graph, std::span<const int> part, Pieces& pieces)
      : comm_(context.comm), graph_(graph), pieces_(pieces), ranges_(*comm_, graph.map().owned_begin()),
        ghosts_(graph.halo) {
    for (LocalIndex i = 0; i < graph.rows(); ++i)
      for (const LocalIndex j : graph.neighbours(i))
        if (j >= graph.rows() && part[j] == part[i]) crossings_.push_back({pieces.piece_of[i], j - graph.rows()});
    std::sort(crossings_.begin(), crossings_.end());
    crossings_.erase(std::unique(crossings_.begin(), crossings_.end()), crossings_.end());
  }

  void run() {
    for (std::int64_t changed = 1; changed != 0;) {
      changed_ = false;
      hook();
      jump();
      changed = comm_->all_reduce(std::int64_t{changed_}, ReduceOp::max);
    }
  }

 private:
  struct Hook {
    GlobalIndex root, lower;
  };
  LocalIndex piece_of_row(GlobalIndex row) const { return pieces_.piece_of[row - graph_.map().owned_begin()]; }
  void lower(LocalIndex piece, GlobalIndex label) {
    if (label >= pieces_.label[piece]) return;
    pieces_.label[piece] = label;
    changed_ = true;
  }

  /// Where a neighbour's label is lower, it goes to the piece that gave this one its label.
  void hook() {
    const auto labels = ghosts_.exchange([&](LocalIndex i) { return pieces_.label[pieces_.piece_of[i]]; });
    std::map<GlobalIndex, GlobalIndex> lowest;
    for (const auto& [piece, ghost] : crossings_) {
      const GlobalIndex mine = pieces_.label[piece];
      if (labels[ghost] >= mine) continue;
      const auto [place, fresh] = lowest.try_emplace(mine, labels[ghost]);
      place->second = std::min(place->second, labels[ghost]);
    }
    std::vector<Hook> hooks;
    for (const auto& [root, label] : lowest) hooks.push_back({root, label});
    for (const Hook& h : route(comm_, hooks, [&](const Hook& x) { return ranges_.owner(x.root); }).items)
      lower(piece_of_row(h.root), h.lower);
    for (const auto& [piece, ghost] : crossings_) lower(piece, labels[ghost]);
  }

  /// Every label is replaced by the label of the piece it names.
  void jump() {
    std::vector<GlobalIndex> asked;
    for (const auto& [piece, ghost] : crossings_) asked.push_back(pieces_.label[piece]);
    std::sort(asked.begin(), asked.end());
    asked.erase(std::unique(asked.begin(), asked.end()), asked.end());
    const auto routed = route(comm_, asked, [&](GlobalIndex row) { return ranges_.owner(row); });
    std::vector<GlobalIndex> answers;
    for (const GlobalIndex row : routed.items) answers.push_back(pieces_.label[piece_of_row(row)]);
    answers = exchange_back<GlobalIndex>(routed.plan, answers);
    for (const auto& [piece, ghost] : crossings_) {
      const auto at = std::lower_bound(asked.begin(), asked.end(), pieces_.label[piece]);
      if (at != asked.end() && *at == pieces_.label[piece]) lower(piece, answers[at - asked.begin()]);
    }
  }

  CommunicatorPtr comm_;
  const DGraph& graph_;
  Pieces& pieces_;
  RowRanges ranges_;
  GhostValues<GlobalIndex> ghosts_;
  std::vector<std::pair<LocalIndex, LocalIndex>> crossings_; ///< (piece, ghost) joined by an edge in one part
  bool changed_ = false;
};

/// A piece as its component's keeper (the rank that owns the row it is named by) sees it.
struct Share {
  GlobalIndex label;
  int part;
  std::int64_t rows, weight;
};
/// Edges from a component to another part.
struct Bridge {
  GlobalIndex label;
  int to;
  std::int64_t edges;
};

/// One round of joining.
class Joining {
 public:
  Joining(const Context& context, const DGraph& graph, int parts, std::int64_t limit, std::vector<int>& part)
      : context_(context), comm_(context.comm), graph_(graph), limit_(limit), parts_(parts), part_(part),
        ranges_(*comm_, graph.map().owned_begin()), pieces_(find_pieces(context, graph, part)) {
    gather_components();
    choose_mainlands();
  }

  /// upwards: only to higher part numbers, else only to lower ones (two touching islands never swap).
  IslandCount run(bool upwards) {
    std::vector<Bridge> bridges = list_bridges();
    const auto routed = route(comm_, bridges, [&](const Bridge& b) { return ranges_.owner(b.label); });
    const std::vector<int> answers = decide(routed.items, upwards);
    const std::vector<int> targets = exchange_back<int>(routed.plan, answers);

    std::map<GlobalIndex, int> target_of;
    for (std::size_t k = 0; k < bridges.size(); ++k)
      if (targets[k] >= 0) target_of[bridges[k].label] = targets[k];
    IslandCount count{0, islands_with_bridges_};
    if (!target_of.empty())
      for (LocalIndex i = 0; i < graph_.rows(); ++i)
        if (const auto at = target_of.find(pieces_.label[pieces_.piece_of[i]]); at != target_of.end()) {
          part_[i] = at->second;
          ++count.joined;
        }
    std::int64_t sums[2] = {count.joined, count.left};
    comm_->all_reduce(std::span<std::int64_t>(sums), ReduceOp::sum);
    if (sums[0] > 0) GhostValues<int>(graph_.halo).update(part_);
    return {sums[0], sums[1]};
  }

 private:
  /// Sums over the pieces of each component, at its keeper.
  void gather_components() {
    std::vector<Share> shares(pieces_.count(), Share{0, -1, 0, 0});
    for (LocalIndex i = 0; i < graph_.rows(); ++i) {
      Share& share = shares[pieces_.piece_of[i]];
      share.part = part_[i];
      ++share.rows;
      share.weight += graph_.weight[i];
    }
    for (LocalIndex p = 0; p < pieces_.count(); ++p) shares[p].label = pieces_.label[p];
    components_ = route(comm_, shares, [&](const Share& s) { return ranges_.owner(s.label); }).items;
    std::sort(components_.begin(), components_.end(),
              [](const Share& a, const Share& b) { return a.label < b.label; });
    std::size_t last = 0;
    for (std::size_t k = 1; k < components_.size(); ++k) {
      if (components_[k].label == components_[last].label) {
        components_[last].rows += components_[k].rows;
        components_[last].weight += components_[k].weight;
      } else {
        components_[++last] = components_[k];
      }
    }
    if (!components_.empty()) components_.resize(last + 1);
  }

  /// The component with most rows of each part (the first of equals), and the parts' weights.
  void choose_mainlands() {
    std::vector<std::int64_t> most(parts_, 0), weight(parts_, 0);
    for (const Share& c : components_) {
      most[c.part] = std::max(most[c.part], c.rows);
      weight[c.part] += c.weight;
    }
    comm_->all_reduce(std::span(most), ReduceOp::max);
    comm_->all_reduce(std::span(weight), ReduceOp::sum);
    weight_ = std::move(weight);
    mainland_.assign(parts_, graph_.n());
    for (const Share& c : components_)
      if (c.rows == most[c.part]) mainland_[c.part] = std::min(mainland_[c.part], c.label);
    comm_->all_reduce(std::span(mainland_), ReduceOp::min);
  }

  std::vector<Bridge> list_bridges() const {
    std::map<std::pair<GlobalIndex, int>, std::int64_t> edges;
    for (LocalIndex i = 0; i < graph_.rows(); ++i) {
      const GlobalIndex label = pieces_.label[pieces_.piece_of[i]];
      if (label == mainland_[part_[i]]) continue;
      for (Offset k = graph_.offsets[i]; k < graph_.offsets[i + 1]; ++k)
        if (const int to = part_[graph_.neighbour[k]]; to != part_[i]) edges[{label, to}] += graph_.edge(k);
    }
    std::vector<Bridge> bridges;
    for (const auto& [key, count] : edges) bridges.push_back({key.first, key.second, count});
    return bridges;
  }

  /// The part that each asking component shall join, -1 for none; an answer a bridge.
  std::vector<int> decide(const std::vector<Bridge>& asked, bool upwards) {
    struct Wish {
      std::int64_t edges = 0, weight = 0;
      int to = -1;
    };
    std::map<std::pair<GlobalIndex, int>, std::int64_t> edges;
    for (const Bridge& b : asked) edges[{b.label, b.to}] += b.edges;
    std::map<GlobalIndex, Wish> wishes;
    std::vector<std::int64_t> mine(parts_, 0);
    for (const auto& [key, count] : edges) {
      Wish& wish = wishes[key.first];
      const Share& c = component(key.first);
      wish.weight = c.weight;
      if (upwards ? key.second < c.part : key.second > c.part) continue;
      if (count > wish.edges && weight_[key.second] + c.weight <= limit_) wish.edges = count, wish.to = key.second;
    }
    islands_with_bridges_ = std::ssize(wishes);
    for (const auto& [label, wish] : wishes)
      if (wish.to >= 0) mine[wish.to] += wish.weight;
    std::vector<std::int64_t> all = mine;
    comm_->all_reduce(std::span(all), ReduceOp::sum);
    for (std::size_t p = 0; p < parts_; ++p)
      mine[p] = fair_share(std::max<std::int64_t>(0, limit_ - weight_[p]), mine[p], all[p]);
    for (auto& [label, wish] : wishes) {
      if (wish.to < 0) continue;
      if (mine[wish.to] < wish.weight)
        wish.to = -1;
      else
        mine[wish.to] -= wish.weight;
    }
    std::vector<int> answers;
    for (const Bridge& b : asked) answers.push_back(wishes[b.label].to);
    return answers;
  }

  const Share& component(GlobalIndex label) const {
    return *std::lower_bound(components_.begin(), components_.end(), label,
                             [](const Share& s, GlobalIndex l) { return s.label < l; });
  }

  const Context& context_;
  CommunicatorPtr comm_;
  const DGraph& graph_;
  std::int64_t limit_;
  std::size_t parts_;
  std::vector<int>& part_;
  RowRanges ranges_;
  Pieces pieces_;
  std::vector<Share> components_; ///< kept here, by label
  std::vector<std::int64_t> weight_, mainland_;
  std::int64_t islands_with_bridges_ = 0;
};

} // namespace

Pieces find_pieces(const Context& context, const DGraph& graph, std::span<const int> part) {
  Pieces pieces = find_local_pieces(graph, part);
  LabelMerge(context, graph, part, pieces).run();
  return pieces;
}

IslandCount join_islands(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                         std::vector<int>& part) {
  constexpr int rounds = 8;
  IslandCount total;
  if (parts == 1) return total;
  bool stuck = false;
  for (int round = 0; round < rounds; ++round) {
    const IslandCount now = Joining(context, graph, parts, limit, part).run(round % 2 == 0);
    total.joined += now.joined;
    total.left = now.left;
    if (now.left == 0 || (now.joined == 0 && stuck)) return total;
    stuck = now.joined == 0;
  }
  return total;
}

} // namespace atl
