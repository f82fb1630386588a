#include <atoll/partition/coarsen.hpp>
#include <atoll/partition/ghost_values.hpp>

#include <algorithm>
#include <unordered_map>

namespace atl {
namespace {

/// Clusters of one rank's rows, in one pass in row order.
class Clustering {
 public:
  Clustering(const DGraph& graph, int cluster_size, std::int64_t max_weight)
      : graph_(graph), size_(cluster_size), max_weight_(max_weight), cluster_(graph.rows(), -1),
        connection_(graph.rows(), 0) {
    for (LocalIndex i = 0; i < graph.rows(); ++i)
      if (cluster_[i] < 0) grow(i);
    for (const LocalIndex i : stragglers_)
      if (!join_neighbour(i)) pair_up(i);
  }
  std::vector<LocalIndex> take_clusters() { return std::move(cluster_); }
  LocalIndex count() const { return static_cast<LocalIndex>(weight_.size()); }

 private:
  bool is_free(LocalIndex j) const { return j < graph_.rows() && cluster_[j] < 0; }

  /// A cluster from `seed`: again and again the free row with the strongest connection to it.
  void grow(LocalIndex seed) {
    members_.assign(1, seed);
    std::int64_t weight = graph_.weight[seed];
    cluster_[seed] = count();
    touched_.clear();
    while (static_cast<int>(members_.size()) < size_) {
      touch_neighbours(members_.back());
      const LocalIndex next = strongest(max_weight_ - weight);
      if (next < 0) break;
      members_.push_back(next);
      weight += graph_.weight[next];
      cluster_[next] = count();
    }
    for (const LocalIndex j : touched_) connection_[j] = 0;
    if (members_.size() == 1) {
      cluster_[seed] = -2;
      stragglers_.push_back(seed);
    } else {
      weight_.push_back(weight);
    }
  }

  void touch_neighbours(LocalIndex i) {
    for (Offset k = graph_.offsets[i]; k < graph_.offsets[i + 1]; ++k) {
      const LocalIndex j = graph_.neighbour[k];
      if (!is_free(j)) continue;
      if (connection_[j] == 0) touched_.push_back(j);
      connection_[j] += graph_.edge(k);
    }
  }

  LocalIndex strongest(std::int64_t room) const {
    LocalIndex best = -1;
    for (const LocalIndex j : touched_) {
      if (!is_free(j) || graph_.weight[j] > room) continue;
      if (best < 0 || connection_[j] > connection_[best] ||
          (connection_[j] == connection_[best] && graph_.weight[j] < graph_.weight[best]))
        best = j;
    }
    return best;
  }

  /// The neighbouring cluster with room and the heaviest edge.
  bool join_neighbour(LocalIndex i) {
    LocalIndex best = -1;
    std::int32_t best_edge = 0;
    for (Offset k = graph_.offsets[i]; k < graph_.offsets[i + 1]; ++k) {
      const LocalIndex j = graph_.neighbour[k];
      if (j >= graph_.rows() || cluster_[j] < 0 || graph_.edge(k) <= best_edge) continue;
      if (weight_[cluster_[j]] + graph_.weight[i] > max_weight_) continue;
      best = cluster_[j];
      best_edge = graph_.edge(k);
    }
    if (best < 0) return false;
    cluster_[i] = best;
    weight_[best] += graph_.weight[i];
    return true;
  }

  /// A cluster with the last row that had the same heaviest neighbour (-1: no neighbour at all), while there
  /// is room; a cluster of its own otherwise.
  void pair_up(LocalIndex i) {
    LocalIndex key = -1;
    std::int32_t best_edge = 0;
    for (Offset k = graph_.offsets[i]; k < graph_.offsets[i + 1]; ++k)
      if (graph_.edge(k) > best_edge) {
        key = graph_.neighbour[k];
        best_edge = graph_.edge(k);
      }
    auto [waiting, fresh] = waiting_.try_emplace(key, Open{count(), 0});
    Open& open = waiting->second;
    if (!fresh && (open.rows >= size_ || weight_[open.cluster] + graph_.weight[i] > max_weight_)) {
      open = {count(), 0};
      fresh = true;
    }
    if (fresh) weight_.push_back(0);
    cluster_[i] = open.cluster;
    weight_[open.cluster] += graph_.weight[i];
    ++open.rows;
  }

  struct Open {
    LocalIndex cluster;
    int rows;
  };
  const DGraph& graph_;
  int size_;
  std::int64_t max_weight_;
  std::vector<LocalIndex> cluster_;
  std::vector<std::int32_t> connection_;
  std::vector<std::int64_t> weight_; ///< by cluster
  std::vector<LocalIndex> members_, touched_, stragglers_;
  std::unordered_map<LocalIndex, Open> waiting_;
};

/// Fine rows ordered by cluster: rows of cluster c are row[begin[c] .. begin[c + 1]).
struct Members {
  std::vector<LocalIndex> begin, row;
};
Members list_members(const std::vector<LocalIndex>& cluster, LocalIndex count) {
  Members members{std::vector<LocalIndex>(count + 1, 0), std::vector<LocalIndex>(cluster.size())};
  for (const LocalIndex c : cluster) ++members.begin[c + 1];
  for (LocalIndex c = 0; c < count; ++c) members.begin[c + 1] += members.begin[c];
  std::vector<LocalIndex> next(members.begin.begin(), members.begin.end() - 1);
  for (std::size_t i = 0; i < cluster.size(); ++i) members.row[next[cluster[i]]++] = static_cast<LocalIndex>(i);
  return members;
}

/// Sums parallel edges between clusters, and the weights of their rows.
void merge_rows(const DGraph& fine, const std::vector<LocalIndex>& coarse_of_ghost, CoarseLevel& level) {
  DGraph& coarse = level.graph;
  const LocalIndex count = coarse.map().n_owned();
  const Members members = list_members(level.coarse_of, count);
  coarse.weight.assign(count, 0);
  coarse.offsets.reserve(count + 1);
  // Pages of the reserve that are never written cost nothing.
  coarse.neighbour.reserve(fine.neighbour.size());
  coarse.edge_weight.reserve(fine.neighbour.size());
  std::vector<Offset> seen(coarse.map().n_local(), -1); // where in this row a neighbour stands
  for (LocalIndex c = 0; c < count; ++c) {
    const Offset row_begin = coarse.offsets.back();
    for (LocalIndex m = members.begin[c]; m < members.begin[c + 1]; ++m) {
      const LocalIndex i = members.row[m];
      coarse.weight[c] += fine.weight[i];
      for (Offset k = fine.offsets[i]; k < fine.offsets[i + 1]; ++k) {
        const LocalIndex j = fine.neighbour[k];
        const LocalIndex d = j < fine.rows() ? level.coarse_of[j] : coarse_of_ghost[j - fine.rows()];
        if (d == c) continue;
        if (seen[d] < row_begin) {
          seen[d] = static_cast<Offset>(coarse.neighbour.size());
          coarse.neighbour.push_back(d);
          coarse.edge_weight.push_back(0);
        }
        coarse.edge_weight[seen[d]] += fine.edge(k);
      }
    }
    coarse.offsets.push_back(static_cast<Offset>(coarse.neighbour.size()));
  }
}

} // namespace

CoarseLevel coarsen(const Context& context, const DGraph& fine, int cluster_size, std::int64_t max_weight) {
  CoarseLevel level;
  Clustering clusters(fine, cluster_size, max_weight);
  const LocalIndex count = clusters.count();
  level.coarse_of = clusters.take_clusters();

  const GlobalIndex begin = context.comm->exclusive_sum(count);
  GhostValues<GlobalIndex> numbers(fine.halo);
  const auto ghosts = numbers.exchange([&](LocalIndex i) { return begin + level.coarse_of[i]; });
  const IndexMapPtr map = IndexMap::create(context.comm, count, {ghosts.begin(), ghosts.end()});
  level.graph.halo = HaloPlan::create(map);
  std::vector<LocalIndex> coarse_of_ghost(ghosts.size());
  for (std::size_t g = 0; g < ghosts.size(); ++g) coarse_of_ghost[g] = map->to_local(ghosts[g]);
  merge_rows(fine, coarse_of_ghost, level);
  return level;
}

} // namespace atl
