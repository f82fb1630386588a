#pragma once

#include "executors.hpp"

#include <atoll/core/random.hpp>

#include <algorithm>
#include <numeric>
#include <random>

namespace atl::test {

template <class T>
std::vector<T> random_values(Offset n, std::uint64_t seed) {
  std::vector<T> values(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(hash_uniform(seed, i));
  return values;
}

/// Up to `most` entries a row in ascending columns, about a third of the rows without any; storage rows
/// shuffled on request.
template <class T>
HostCsr<T> random_csr(LocalIndex rows, LocalIndex columns, int most, bool shuffled, unsigned seed) {
  std::mt19937 generator(seed);
  const auto random = [&] { return static_cast<unsigned>(generator()); };
  HostCsr<T> a{rows, columns, {0}, {}, {}, {}};
  for (LocalIndex row = 0; row < rows; ++row) {
    std::vector<LocalIndex> row_columns;
    if (columns > 0 && random() % 3)
      for (unsigned e = random() % static_cast<unsigned>(most + 1); e > 0; --e)
        row_columns.push_back(static_cast<LocalIndex>(random() % static_cast<unsigned>(columns)));
    std::sort(row_columns.begin(), row_columns.end());
    row_columns.erase(std::unique(row_columns.begin(), row_columns.end()), row_columns.end());
    a.column.insert(a.column.end(), row_columns.begin(), row_columns.end());
    a.row_begin.push_back(std::ssize(a.column));
  }
  a.value = random_values<T>(std::ssize(a.column), seed);
  if (shuffled) {
    a.row_index.resize(static_cast<std::size_t>(rows));
    std::iota(a.row_index.begin(), a.row_index.end(), 0);
    std::shuffle(a.row_index.begin(), a.row_index.end(), generator);
  }
  return a;
}

/// Entry by entry within `tolerance` units of the type's rounding.
template <class T>
void expect_near(const std::vector<T>& seen, const std::vector<T>& expected, double tolerance, const char* what) {
  ASSERT_EQ(seen.size(), expected.size()) << what;
  for (std::size_t i = 0; i < seen.size(); ++i)
    ASSERT_NEAR(seen[i], expected[i], tolerance * static_cast<double>(std::numeric_limits<T>::epsilon()))
        << what << ", entry " << i;
}

} // namespace atl::test
