#include "support/random_matrix.hpp"

#include <atoll/comm/block_range.hpp>

#include <algorithm>
#include <cmath>

namespace atl::test {
namespace {

std::uint64_t hash(std::uint64_t seed, GlobalIndex i, GlobalIndex j) {
  Random random(seed ^ (static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u));
  return Random(random.next() ^ static_cast<std::uint64_t>(j)).next();
}

// The entry beside the diagonal; zero where none is stored.
double off_diagonal(const RandomMatrix& matrix, GlobalIndex i, GlobalIndex j) {
  if (matrix.spd && i > j) std::swap(i, j);
  Random random(hash(matrix.seed, i, j));
  if (random.uniform() >= matrix.density) return 0;
  const double value = random.uniform(0.25, 1);
  return random.next() & 1 ? value : -value;
}

double diagonal(const RandomMatrix& matrix, GlobalIndex i, double abs_sum) {
  if (matrix.spd) return 1 + abs_sum;
  return Random(hash(matrix.seed, i, i)).uniform(1, 2);
}

} // namespace

std::uint64_t Random::next() {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

template <class T>
RowBlock<T> random_rows(const RandomMatrix& matrix, GlobalIndex row_begin, GlobalIndex row_end) {
  RowBlock<T> block;
  block.n_rows = matrix.rows;
  block.n_cols = matrix.cols;
  block.row_begin = row_begin;
  for (GlobalIndex i = row_begin; i < row_end; ++i) {
    double abs_sum = 0;
    std::size_t at = block.column.size(); // where the diagonal goes
    for (GlobalIndex j = 0; j < matrix.cols; ++j) {
      const double value = i == j ? 0 : off_diagonal(matrix, i, j);
      if (value == 0) continue;
      if (j < i) at = block.column.size() + 1;
      abs_sum += std::abs(value);
      block.column.push_back(j);
      block.value.push_back(static_cast<T>(value));
    }
    if (i < matrix.cols && (matrix.spd || matrix.diagonal)) {
      const auto place = static_cast<std::ptrdiff_t>(at);
      block.column.insert(block.column.begin() + place, i);
      block.value.insert(block.value.begin() + place, static_cast<T>(diagonal(matrix, i, abs_sum)));
    }
    block.offsets.push_back(std::ssize(block.column));
  }
  return block;
}

template <class T>
RowBlock<T> random_slab(const RandomMatrix& matrix, int rank, int ranks) {
  const BlockRange slabs{matrix.rows, ranks};
  return random_rows<T>(matrix, slabs.begin(rank), slabs.begin(rank + 1));
}

std::vector<GlobalIndex> random_ranges(GlobalIndex n, int ranks, std::uint64_t seed) {
  Random random(seed);
  std::vector<GlobalIndex> ranges{0, n};
  for (int r = 1; r < ranks; ++r) ranges.push_back(random.below(n + 1));
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

std::vector<GlobalIndex> block_ranges(GlobalIndex n, int ranks) {
  const BlockRange blocks{n, ranks};
  std::vector<GlobalIndex> ranges;
  for (int r = 0; r <= ranks; ++r) ranges.push_back(blocks.begin(r));
  return ranges;
}

std::vector<double> random_values(GlobalIndex first, GlobalIndex n, std::uint64_t seed) {
  std::vector<double> values;
  for (GlobalIndex i = first; i < first + n; ++i) values.push_back(Random(hash(seed, i, 0)).uniform(-1, 1));
  return values;
}

template RowBlock<float> random_rows(const RandomMatrix&, GlobalIndex, GlobalIndex);
template RowBlock<double> random_rows(const RandomMatrix&, GlobalIndex, GlobalIndex);
template RowBlock<float> random_slab(const RandomMatrix&, int, int);
template RowBlock<double> random_slab(const RandomMatrix&, int, int);

} // namespace atl::test
