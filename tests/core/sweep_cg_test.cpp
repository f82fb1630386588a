// A step of conjugate gradients in one pass: to the bit as plain loops, on any number of threads, with ghosts or without.
#include "packed_rows.hpp"

#include <atoll/core/kernels.hpp>

#include <cmath>

namespace atl::test {
namespace {

enum class Diagonal { none, uniform, piecewise, varied };

/// The vectors of conjugate gradients.
template <class T>
struct Vectors {
  std::vector<T> u, p, x;
};

/// A square matrix of owned rows and ghost columns, and the vectors to start from.
template <class T>
struct SweepCase {
  PlainRows<T> owned, ghost; ///< row by row, ghost columns from owned.columns on
  SplitMatrix<T> split;
  std::vector<T> d;
  Vectors<T> start;
  LocalIndex ghosts = 0;

  SweepCase(PlainRows<T> plain, LocalIndex n_ghosts, Diagonal diagonal, StorageWish wish)
      : owned(std::move(plain)), ghosts(n_ghosts) {
    const LocalIndex n = owned.rows();
    Random random(7);
    ghost.columns = n + ghosts;
    std::vector<LocalIndex> row_index;
    for (LocalIndex r = 0; r < n; ++r) {
      std::vector<LocalIndex> row;
      if (ghosts > 0 && (r < 40 || r > n - 30 || random.below(50) == 0))
        for (int e = 0; e < 3; ++e) row.push_back(n + static_cast<LocalIndex>(random.below(ghosts)));
      if (!row.empty()) row_index.push_back(r);
      ghost.add_row(std::move(row));
    }
    put_values(ghost, ValueKind::any, 8);

    const ExecutorPtr executor = make_reference_executor();
    split.owned = owned.pack(wish);
    std::vector<Offset> begin{0};
    for (const LocalIndex r : row_index) begin.push_back(ghost.all.begin[r + 1]);
    split.halo = {static_cast<LocalIndex>(row_index.size()),
                  n + ghosts,
                  Array<Offset>(executor, begin),
                  Array<LocalIndex>(executor, ghost.all.column),
                  Array<T>(executor, ghost.all.value),
                  Array<LocalIndex>(executor, row_index)};
    for (const PackedChunk& chunk : split.owned.chunks())
      split.halo_begin.push_back(
          static_cast<LocalIndex>(std::ranges::lower_bound(row_index, chunk.first) - row_index.begin()));
    split.halo_begin.push_back(split.halo.rows);

    const auto vector = [](LocalIndex size, std::uint64_t seed) {
      const auto values = random_values(0, size, seed);
      return std::vector<T>(values.begin(), values.end());
    };
    start = {vector(n + ghosts, 1), vector(n + ghosts, 2), vector(n, 3)};
    if (diagonal == Diagonal::none) return;
    for (LocalIndex r = 0; r < n; ++r) {
      const auto varied = static_cast<T>(0.5 + random.uniform());
      d.push_back(diagonal == Diagonal::uniform ? T(0.3) : diagonal == Diagonal::varied || r < 3000 ? varied : T(2));
    }
  }

  std::vector<T> times(const std::vector<T>& v) const {
    const std::vector<T> inner = owned.times(v), outer = ghost.times(v);
    std::vector<T> y(inner.size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = inner[i] + outer[i];
    return y;
  }
  T scale(std::size_t i) const { return d.empty() ? T(1) : d[i]; }

  /// One step by plain loops.
  void step(double alpha, double beta, Vectors<T>& v) const {
    for (std::size_t i = 0; i < v.p.size(); ++i) v.p[i] = static_cast<T>(v.u[i] + beta * v.p[i]);
    const std::vector<T> w = times(v.p);
    for (std::size_t i = 0; i < v.x.size(); ++i) {
      v.u[i] = static_cast<T>(v.u[i] - alpha * (scale(i) * w[i]));
      v.x[i] = static_cast<T>(v.x[i] + alpha * v.p[i]);
    }
  }
  std::vector<double> dots(const Vectors<T>& v) const {
    const std::vector<T> w = times(v.u);
    std::vector<double> sums(3);
    for (std::size_t i = 0; i < v.x.size(); ++i) {
      const double ui = v.u[i], r = ui / double{scale(i)};
      sums[0] += r * r;
      sums[1] += r * ui;
      sums[2] += double{w[i]} * ui;
    }
    return sums;
  }
};

/// Dots at the start, then steps with dots, as the solver does; ghosts of u arrive anew before each finish.
template <class T>
std::vector<std::vector<double>> run(const ExecutorPtr& executor, const SweepCase<T>& c, Vectors<T>& v,
                                     const std::vector<std::vector<T>>& new_ghosts) {
  Kernels<T>& kernels = executor->kernels<T>();
  CgSweep<T> sweep(c.split, kernels.threads());
  sweep.set_diagonal(c.d.empty() ? nullptr : c.d.data());
  sweep.u = v.u.data();
  sweep.p = v.p.data();
  sweep.x = v.x.data();
  std::vector<std::vector<double>> sums;
  for (std::size_t i = 0; i < new_ghosts.size(); ++i) {
    const double alpha = 0.3 + static_cast<double>(i), beta = -0.2;
    if (i > 0) kernels.cg_sweep(sweep, c.ghosts, &alpha, &beta);
    kernels.cg_sweep_dots(sweep, i == 0);
    std::ranges::copy(new_ghosts[i], v.u.begin() + c.owned.rows());
    sums.emplace_back(3);
    kernels.cg_sweep_finish(sweep, sums.back().data());
  }
  return sums;
}

template <class T>
void check(const PlainRows<T>& plain, LocalIndex ghosts, Diagonal diagonal, StorageWish wish) {
  const SweepCase<T> c(plain, ghosts, diagonal, wish);
  std::vector<std::vector<T>> new_ghosts;
  for (std::uint64_t i = 0; i < 3; ++i) {
    const auto values = random_values(0, ghosts, 20 + i);
    new_ghosts.emplace_back(values.begin(), values.end());
  }
  Vectors<T> expected = c.start;
  std::vector<std::vector<double>> dots, first_dots;
  for (std::size_t i = 0; i < new_ghosts.size(); ++i) {
    if (i > 0) c.step(0.3 + static_cast<double>(i), -0.2, expected);
    std::ranges::copy(new_ghosts[i], expected.u.begin() + plain.rows());
    dots.push_back(c.dots(expected));
  }

  for (const int threads : {0, 1, 2, 3, 4}) { // 0: the reference
    SCOPED_TRACE("threads " + std::to_string(threads));
    Vectors<T> seen = c.start;
    const auto sums = run(threads ? make_host_executor(threads) : make_reference_executor(), c, seen, new_ghosts);
    EXPECT_TRUE(same_bits(seen.u, expected.u));
    EXPECT_TRUE(same_bits(seen.p, expected.p));
    EXPECT_TRUE(same_bits(seen.x, expected.x));
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t s = 0; s < 3; ++s) {
        // (r, u) and (A u, u) may cancel: their terms are as large as those of (r, r) and (u, u).
        const double size = dots[i][0] + std::abs(dots[i][1]) + std::abs(dots[i][2]) + 1;
        EXPECT_NEAR(sums[i][s], dots[i][s], 1000 * std::numeric_limits<T>::epsilon() * size) << i << ", sum " << s;
      }
    if (threads == 1) first_dots = sums;
    if (threads > 1) {
      EXPECT_EQ(sums, first_dots);
    }
  }
}

template <class T>
void check_kinds(LocalIndex ghosts, Diagonal diagonal, std::span<const StorageWish> wishes) {
  PlainRows<T> random = random_pattern<T>(9217, 9217, 2500, 6, true, false, 1);
  put_values(random, ValueKind::any, 2);
  PlainRows<T> far = random_pattern<T>(4100, 4100, 4100, 3, false, true, 3);
  put_values(far, ValueKind::three, 4);
  // The first rows are a stencil, the rest random: chunks of several forms.
  PlainRows<T> mixed = stencil_rows<T>(20, 20, 14);
  Random numbers(5);
  mixed.columns = 9000;
  while (mixed.rows() < 9000) {
    const LocalIndex r = mixed.rows();
    mixed.add_row({r, std::max(0, r - 900), std::min(8999, r + 1 + static_cast<LocalIndex>(numbers.below(700)))});
    while (mixed.all.value.size() < mixed.all.column.size())
      mixed.all.value.push_back(static_cast<T>(numbers.uniform()));
  }
  for (const auto& [name, plain] : {NamedRows<T>{"random", random}, NamedRows<T>{"far", far},
                                    NamedRows<T>{"mixed", mixed}, NamedRows<T>{"few rows", stencil_rows<T>(5, 5, 1)}})
    for (const StorageWish wish : wishes) {
      SCOPED_TRACE(name + ", " + name_of(wish));
      check(plain, ghosts, diagonal, wish);
    }
}

TEST(CgSweep, IsAPlainStepToTheBitOnAnyNumberOfThreads) {
  check_kinds<double>(150, Diagonal::piecewise, all_wishes);
  check_kinds<float>(150, Diagonal::piecewise, std::span(all_wishes).first(1));
}

TEST(CgSweep, WithAndWithoutGhostsAndDiagonal) {
  for (const LocalIndex ghosts : {0, 150})
    for (const Diagonal diagonal : {Diagonal::none, Diagonal::uniform, Diagonal::varied}) {
      SCOPED_TRACE("ghosts " + std::to_string(ghosts) + ", diagonal " + std::to_string(static_cast<int>(diagonal)));
      check_kinds<double>(ghosts, diagonal, std::span(all_wishes).first(1));
    }
}

TEST(CgSweep, NoRows) {
  for (const ExecutorPtr& executor : {make_reference_executor(), make_host_executor(1), make_host_executor(2)}) {
    const SweepCase<double> none({0, {}}, 0, Diagonal::none, StorageWish::least_bytes);
    Vectors<double> vectors;
    for (const auto& sums : run(executor, none, vectors, {{}, {}})) EXPECT_EQ(sums, (std::vector<double>(3)));
  }
}

TEST(CgSweep, ADiagonalIsOneNumberOnAChunkOrNone) {
  const SweepCase<double> c(stencil_rows<double>(40, 100, 1), 0, Diagonal::piecewise, StorageWish::least_bytes);
  CgSweep<double> sweep(c.split, 2);
  sweep.set_diagonal(c.d.data()); // varied up to row 3000, then 2
  EXPECT_EQ(sweep.uniform, (std::vector<double>{0, 0, 0, 2}));
  sweep.set_diagonal(nullptr);
  EXPECT_EQ(sweep.uniform, (std::vector<double>{1, 1, 1, 1}));
}

} // namespace
} // namespace atl::test
