#include "graphs.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

namespace atl::test {

void Pattern::join(GlobalIndex a, GlobalIndex b) {
  entries.emplace(a, b);
  entries.emplace(b, a);
}

std::set<std::pair<GlobalIndex, GlobalIndex>> Pattern::edges() const {
  std::set<std::pair<GlobalIndex, GlobalIndex>> result;
  for (const auto& [i, j] : entries)
    if (i != j) result.emplace(std::min(i, j), std::max(i, j));
  return result;
}

Pattern isolated(GlobalIndex n) {
  Pattern p{"isolated", n, {}};
  for (GlobalIndex i = 0; i < n; ++i) p.entries.emplace(i, i);
  return p;
}

Pattern path(GlobalIndex n) {
  Pattern p = isolated(n);
  p.name = "path";
  for (GlobalIndex i = 0; i + 1 < n; ++i) p.join(i, i + 1);
  return p;
}

Pattern star(GlobalIndex n) {
  Pattern p = isolated(n);
  p.name = "star";
  for (GlobalIndex i = 1; i < n; ++i) p.join(0, i);
  return p;
}

Pattern cliques(GlobalIndex count, GlobalIndex size) {
  Pattern p = isolated(count * size);
  p.name = "cliques";
  for (GlobalIndex i = 0; i < p.n; ++i)
    for (GlobalIndex j = i + 1; j < (i / size + 1) * size; ++j) p.join(i, j);
  return p;
}

Pattern clique(GlobalIndex n) { return cliques(1, n); }

Pattern grid(GlobalIndex nx, GlobalIndex ny, bool diagonal) {
  Pattern p{"grid", nx * ny, {}};
  for (GlobalIndex y = 0; y < ny; ++y)
    for (GlobalIndex x = 0; x < nx; ++x) {
      const GlobalIndex i = y * nx + x;
      if (diagonal) p.entries.emplace(i, i);
      if (x + 1 < nx) p.join(i, i + 1);
      if (y + 1 < ny) p.join(i, i + nx);
    }
  return p;
}

Pattern power_law(GlobalIndex n, int edges_each, std::uint64_t seed) {
  Pattern p = isolated(n);
  p.name = "power law";
  Random random(seed);
  std::vector<GlobalIndex> ends{0};
  for (GlobalIndex i = 1; i < n; ++i)
    for (int k = 0; k < edges_each; ++k) {
      const GlobalIndex j = ends[random.below(std::ssize(ends))];
      if (i == j) continue;
      p.join(i, j);
      ends.insert(ends.end(), {i, j});
    }
  return p;
}

Pattern scattered(GlobalIndex n, double density, std::uint64_t seed) {
  Pattern p{"scattered", n, {}};
  Random random(seed);
  for (GlobalIndex i = 0; i < n; ++i)
    for (GlobalIndex j = 0; j < n; ++j)
      if (random.uniform() < density) p.entries.emplace(i, j);
  return p;
}

Pattern random_pattern(std::uint64_t seed) {
  Random random(seed);
  const GlobalIndex n = 1 + random.below(60);
  switch (random.below(9)) {
  case 0:
    return path(n);
  case 1:
    return star(n);
  case 2:
    return isolated(n);
  case 3:
    return clique(1 + n / 3);
  case 4:
    return grid(1 + random.below(9), 1 + random.below(9), random.below(2) == 0);
  case 5:
    return cliques(1 + random.below(6), 1 + random.below(8));
  case 6:
    return power_law(n, 1 + static_cast<int>(random.below(3)), seed);
  case 7:
    return scattered(n, 1.0 / static_cast<double>(n), seed);
  default:
    return scattered(n, 4.0 / static_cast<double>(n), seed);
  }
}

RowBlock<double> rows_of(const Pattern& pattern, GlobalIndex begin, GlobalIndex end) {
  RowBlock<double> block{pattern.n, pattern.n, begin, {0}, {}, {}};
  for (GlobalIndex i = begin; i < end; ++i) {
    for (auto e = pattern.entries.lower_bound({i, 0}); e != pattern.entries.end() && e->first == i; ++e) {
      block.column.push_back(e->second);
      block.value.push_back(static_cast<double>(1 + i + 1000 * e->second));
    }
    block.offsets.push_back(std::ssize(block.column));
  }
  return block;
}

RowBlock<double> slab_of(const Pattern& pattern, const std::vector<GlobalIndex>& ranges, int rank) {
  return rows_of(pattern, ranges[rank], ranges[rank + 1]);
}

PlainQuality plain_quality(const Pattern& pattern, const std::vector<int>& part, int parts) {
  PlainQuality q;
  std::set<std::pair<int, GlobalIndex>> halo;
  std::set<std::pair<int, int>> neighbours;
  for (const auto& [i, j] : pattern.edges()) {
    if (part[i] == part[j]) continue;
    ++q.edge_cut;
    neighbours.emplace(part[i], part[j]);
    neighbours.emplace(part[j], part[i]);
  }
  for (const auto& [i, j] : pattern.entries) // row i needs x_j
    if (part[i] != part[j]) halo.emplace(part[i], j);
  std::map<int, std::int64_t> halo_of;
  std::map<int, int> neighbours_of;
  for (const auto& [p, row] : halo) q.halo_max = std::max(q.halo_max, ++halo_of[p]);
  for (const auto& [p, other] : neighbours) q.neighbors_max = std::max(q.neighbors_max, ++neighbours_of[p]);
  q.halo_total = std::ssize(halo);
  q.rows.assign(parts, 0);
  for (const int p : part) ++q.rows[p];
  return q;
}

namespace {

int count_pieces(const Pattern& pattern, const std::vector<int>& part) {
  std::vector<GlobalIndex> root(pattern.n);
  std::iota(root.begin(), root.end(), 0);
  const std::function<GlobalIndex(GlobalIndex)> find = [&](GlobalIndex i) {
    return root[i] == i ? i : root[i] = find(root[i]);
  };
  int pieces = static_cast<int>(pattern.n);
  for (const auto& [i, j] : pattern.edges())
    if (part[i] == part[j] && find(i) != find(j)) {
      root[find(i)] = find(j);
      --pieces;
    }
  return pieces;
}

} // namespace

int torn_pieces(const Pattern& pattern, const std::vector<int>& part) {
  // A part needs one piece a component of the pattern that it has rows of.
  std::vector<GlobalIndex> root(pattern.n);
  std::iota(root.begin(), root.end(), 0);
  const std::function<GlobalIndex(GlobalIndex)> find = [&](GlobalIndex i) {
    return root[i] == i ? i : root[i] = find(root[i]);
  };
  for (const auto& [i, j] : pattern.edges()) root[find(i)] = find(j);
  std::set<std::pair<int, GlobalIndex>> needed;
  for (GlobalIndex i = 0; i < pattern.n; ++i) needed.emplace(part[i], find(i));
  return count_pieces(pattern, part) - static_cast<int>(needed.size());
}

} // namespace atl::test
