#pragma once
/// Matrices in plain rows, of every kind that a packed matrix has a form for.

#include <atoll/core/packed_matrix.hpp>

#include <gtest/gtest.h>
#include <support/random_matrix.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace atl::test {

constexpr StorageWish all_wishes[] = {StorageWish::least_bytes, StorageWish::csr, StorageWish::sell,
                                      StorageWish::stencil, StorageWish::block};

/// A matrix as tests write it down.
template <class T>
struct PlainRows {
  LocalIndex columns = 0;
  ChunkRows<T> all;

  LocalIndex rows() const { return all.rows(); }
  /// The columns of the next row, which may come in any order and more than once; its values come later.
  void add_row(std::vector<LocalIndex> row) {
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    all.column.insert(all.column.end(), row.begin(), row.end());
    all.begin.push_back(std::ssize(all.column));
  }
  ChunkReader<T> reader() const {
    return [this](LocalIndex first, LocalIndex count, ChunkRows<T>& out) { out = rows_of(first, count); };
  }
  ChunkRows<T> rows_of(LocalIndex first, LocalIndex count) const {
    ChunkRows<T> out;
    for (LocalIndex r = first; r < first + count; ++r) {
      out.column.insert(out.column.end(), all.column.begin() + all.begin[r], all.column.begin() + all.begin[r + 1]);
      out.value.insert(out.value.end(), all.value.begin() + all.begin[r], all.value.begin() + all.begin[r + 1]);
      out.begin.push_back(std::ssize(out.column));
    }
    return out;
  }
  PackedMatrix<T> pack(StorageWish wish, bool updatable = false) const {
    return PackedMatrix<T>(make_reference_executor(), rows(), columns, reader(), wish, updatable);
  }
  /// y = A x, each row summed in its order.
  std::vector<T> times(const std::vector<T>& x) const {
    std::vector<T> y(static_cast<std::size_t>(rows()));
    for (LocalIndex r = 0; r < rows(); ++r) {
      T sum = 0;
      for (Offset e = all.begin[r]; e < all.begin[r + 1]; ++e) sum += all.value[e] * x[all.column[e]];
      y[r] = sum;
    }
    return y;
  }
};

enum class ValueKind { three, few, single, any, strange };

/// Values for the pattern. `strange` are few and hold everything that floating point has.
template <class T>
void put_values(PlainRows<T>& a, ValueKind kind, std::uint64_t seed) {
  using Limits = std::numeric_limits<T>;
  const T strange[] = {T(-0.0),
                       T(0.0),
                       Limits::infinity(),
                       -Limits::infinity(),
                       Limits::quiet_NaN(),
                       Limits::min(),
                       Limits::max(),
                       Limits::lowest(),
                       T(1) / T(3),
                       T(1),
                       Limits::epsilon(),
                       -Limits::quiet_NaN(),
                       Limits::denorm_min(),
                       T(0.5)};
  Random random(seed);
  a.all.value.clear();
  for (std::size_t e = 0; e < a.all.column.size(); ++e) switch (kind) {
    case ValueKind::three:
      a.all.value.push_back(T(0.25) * static_cast<T>(random.below(3) - 1));
      break;
    case ValueKind::few:
      a.all.value.push_back(T(0.1) * static_cast<T>(random.below(200) - 100));
      break;
    case ValueKind::single:
      a.all.value.push_back(static_cast<T>(static_cast<float>(random.uniform(-1, 1))));
      break;
    case ValueKind::any:
      a.all.value.push_back(static_cast<T>(random.uniform(-1, 1)));
      break;
    case ValueKind::strange:
      a.all.value.push_back(strange[random.below(std::ssize(strange))]);
    }
}

/// Up to `most` columns a row among `width` around the row's place; a share of the rows is empty, one is dense.
template <class T>
PlainRows<T> random_pattern(LocalIndex rows, LocalIndex columns, LocalIndex width, int most, bool empty_rows,
                            bool dense_row, std::uint64_t seed) {
  Random random(seed);
  PlainRows<T> a{columns, {}};
  for (LocalIndex r = 0; r < rows; ++r) {
    std::vector<LocalIndex> row;
    const auto from = static_cast<LocalIndex>(Offset{columns - width} * r / rows);
    if (!empty_rows || random.below(3) > 0)
      for (auto n = 1 + random.below(most); n > 0; --n)
        row.push_back(from + static_cast<LocalIndex>(random.below(width)));
    if (dense_row && r == rows / 2)
      for (LocalIndex c = 0; c < columns; ++c) row.push_back(c);
    a.add_row(std::move(row));
  }
  return a;
}

/// Rows that share their columns in groups of 1 to 5.
template <class T>
PlainRows<T> grouped_pattern(LocalIndex rows, std::uint64_t seed) {
  Random random(seed);
  PlainRows<T> a{rows, {}};
  while (a.rows() < rows) {
    std::vector<LocalIndex> row;
    for (auto n = random.below(9); n > 0; --n) row.push_back(static_cast<LocalIndex>(random.below(rows)));
    for (auto n = 1 + random.below(5); n > 0 && a.rows() < rows; --n) a.add_row(row);
  }
  return a;
}

/// The 7-point stencil on nx x ny x nz places, with `dofs` unknowns a place that are all coupled; Poisson's values for
/// one unknown a place, else values that depend on the direction and the unknowns alone.
template <class T>
PlainRows<T> stencil_rows(LocalIndex nx, LocalIndex ny, LocalIndex nz, LocalIndex dofs = 1) {
  PlainRows<T> a{nx * ny * nz * dofs, {}};
  const LocalIndex steps[7][3] = {{0, 0, -1}, {0, -1, 0}, {-1, 0, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (LocalIndex z = 0; z < nz; ++z)
    for (LocalIndex y = 0; y < ny; ++y)
      for (LocalIndex x = 0; x < nx; ++x)
        for (LocalIndex i = 0; i < dofs; ++i) {
          std::vector<LocalIndex> row;
          for (int s = 0; s < 7; ++s) {
            const LocalIndex u = x + steps[s][0], v = y + steps[s][1], w = z + steps[s][2];
            if (u < 0 || v < 0 || w < 0 || u >= nx || v >= ny || w >= nz) continue;
            for (LocalIndex j = 0; j < dofs; ++j) {
              row.push_back(((w * ny + v) * nx + u) * dofs + j);
              a.all.value.push_back(s == 3 ? T(i == j ? 6 : 1)
                                           : T(-1) - T(0.1) * static_cast<T>(i * dofs + j) * T(s));
            }
          }
          a.add_row(row);
        }
  if (dofs == 1)
    for (T& v : a.all.value) v = v < 0 ? T(-1) : T(6);
  return a;
}

/// A kind of matrix with its name, for messages.
template <class T>
struct NamedRows {
  std::string name;
  PlainRows<T> rows;
};

/// Patterns of all kinds, with values of all kinds where the pattern does not bring its own.
template <class T>
std::vector<NamedRows<T>> all_kinds() {
  std::vector<NamedRows<T>> kinds;
  const auto add = [&](const std::string& name, const PlainRows<T>& pattern) {
    std::uint64_t seed = kinds.size();
    const std::pair<const char*, ValueKind> values[] = {{", three values", ValueKind::three},
                                                        {", few values", ValueKind::few},
                                                        {", single values", ValueKind::single},
                                                        {", any values", ValueKind::any},
                                                        {", strange values", ValueKind::strange}};
    for (const auto& [suffix, kind] : values) {
      kinds.push_back({name + suffix, pattern});
      put_values(kinds.back().rows, kind, ++seed);
    }
  };
  add("no rows", {5, {}});
  add("one entry", random_pattern<T>(1, 1, 1, 1, false, false, 1));
  add("7 rows", random_pattern<T>(7, 9, 9, 4, false, false, 2));
  add("only empty rows", [] {
    PlainRows<T> a{3, {}};
    for (int r = 0; r < 1100; ++r) a.add_row({});
    return a;
  }());
  add("random", random_pattern<T>(2500, 2500, 300, 12, false, false, 3));
  add("random with empty rows", random_pattern<T>(3077, 3000, 3000, 9, true, false, 4));
  add("one dense row", random_pattern<T>(1029, 4000, 200, 6, true, true, 5));
  add("wide", random_pattern<T>(1500, 300000, 300000, 8, false, false, 6));
  add("rectangular", random_pattern<T>(1025, 40, 40, 5, false, false, 7));
  add("groups", grouped_pattern<T>(2051, 8));
  add("all rows equal", [] {
    PlainRows<T> a{1000, {}};
    for (int r = 0; r < 1031; ++r) a.add_row({0, 5, 6, 7, 999});
    return a;
  }());
  kinds.push_back({"2-D Poisson", stencil_rows<T>(60, 50, 1)});
  kinds.push_back({"3-D Poisson", stencil_rows<T>(13, 17, 11)});
  for (const LocalIndex dofs : {2, 3, 4, 5})
    kinds.push_back({"3-D with unknowns: " + std::to_string(dofs), stencil_rows<T>(9, 8, 7, dofs)});
  return kinds;
}

template <class T>
bool same_bits(const T* a, const T* b, std::size_t n) {
  return n == 0 || std::memcmp(a, b, n * sizeof(T)) == 0;
}
template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && same_bits(a.data(), b.data(), a.size());
}

inline const char* name_of(StorageWish wish) {
  constexpr const char* names[] = {"least_bytes", "csr", "sell", "stencil", "block"};
  return names[static_cast<int>(wish)];
}

} // namespace atl::test
