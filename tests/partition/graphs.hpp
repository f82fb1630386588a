#pragma once
/// Patterns with known shapes, and what a partition of them amounts to by plain loops over the whole.

#include <atoll/partition/partitioner.hpp>

#include "support/random_matrix.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace atl::test {

/// A whole square pattern; entries may be in any order, one direction of an edge is enough.
struct Pattern {
  std::string name;
  GlobalIndex n = 0;
  std::set<std::pair<GlobalIndex, GlobalIndex>> entries; ///< (row, column), the diagonal included or not

  /// Both directions of an edge.
  void join(GlobalIndex a, GlobalIndex b);
  /// {i, j}, i < j, with an entry in either direction.
  std::set<std::pair<GlobalIndex, GlobalIndex>> edges() const;
};

Pattern path(GlobalIndex n);
Pattern star(GlobalIndex n); ///< row 0 is the hub
Pattern isolated(GlobalIndex n);
Pattern clique(GlobalIndex n);
Pattern grid(GlobalIndex nx, GlobalIndex ny, bool diagonal = true);
Pattern cliques(GlobalIndex count, GlobalIndex size); ///< no edge between them
/// Rows join earlier rows, favouring those with many edges.
Pattern power_law(GlobalIndex n, int edges_each, std::uint64_t seed);
/// Nonsymmetric: each entry by chance.
Pattern scattered(GlobalIndex n, double density, std::uint64_t seed);
/// One of the above, small, by seed.
Pattern random_pattern(std::uint64_t seed);

/// Rows [begin, end): value of (i, j) is 1 + i + 1000 j.
RowBlock<double> rows_of(const Pattern& pattern, GlobalIndex begin, GlobalIndex end);
/// This rank's rows by ranges (ranks + 1 offsets).
RowBlock<double> slab_of(const Pattern& pattern, const std::vector<GlobalIndex>& ranges, int rank);

struct PlainQuality {
  std::int64_t edge_cut = 0, halo_total = 0, halo_max = 0;
  int neighbors_max = 0;
  std::vector<std::int64_t> rows;
};
PlainQuality plain_quality(const Pattern& pattern, const std::vector<int>& part, int parts);

/// Connected pieces of all parts beyond one for each part and component of the pattern in it.
int torn_pieces(const Pattern& pattern, const std::vector<int>& part);

} // namespace atl::test
