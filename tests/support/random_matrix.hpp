#pragma once
/// Numbers and sparse matrices that depend on a seed alone, never on the number of ranks or the platform.

#include <atoll/comm/row_block.hpp>

#include <cstdint>
#include <vector>

namespace atl::test {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next();
  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n)); }
  double uniform(); ///< in [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }

 private:
  std::uint64_t state_;
};

/// Which random matrix: entry (i, j) is a function of seed, i and j, so that every cut sees the same matrix.
struct RandomMatrix {
  GlobalIndex rows = 0;
  GlobalIndex cols = 0;
  double density = 0.1; ///< probability of an entry beside the diagonal
  std::uint64_t seed = 1;
  /// Symmetric positive definite: symmetric, diagonal 1 above the sum of the absolute values beside it.
  bool spd = false;
  /// Store the diagonal (always for spd); nonzero.
  bool diagonal = true;
};

/// Rows [row_begin, row_end) of the matrix, columns ascending. Costs rows times columns hashes.
template <class T>
RowBlock<T> random_rows(const RandomMatrix& matrix, GlobalIndex row_begin, GlobalIndex row_end);

/// This rank's equal slab of it.
template <class T>
RowBlock<T> random_slab(const RandomMatrix& matrix, int rank, int ranks);

/// ranks + 1 ascending offsets from 0 to n, uneven, often with empty ranges.
std::vector<GlobalIndex> random_ranges(GlobalIndex n, int ranks, std::uint64_t seed);
/// The same, equal blocks.
std::vector<GlobalIndex> block_ranges(GlobalIndex n, int ranks);

/// n values in [-1, 1), value i depending on seed and first + i alone.
std::vector<double> random_values(GlobalIndex first, GlobalIndex n, std::uint64_t seed);

} // namespace atl::test
