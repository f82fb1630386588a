// Products with packed matrices: every form and every instruction set to the bit as a plain loop, and inside its rows.
#include "packed_rows.hpp"

#include <atoll/core/host/packed_loops.hpp>
#include <atoll/core/kernels.hpp>
#include <atoll/core/packed_layout.hpp>

#include <cmath>
#include <memory>

namespace atl::test {
namespace {

constexpr std::string_view sets[] = {"baseline", "x86-64-v3", "x86-64-v4"};

template <class T>
std::vector<T> random_vector(Offset n, std::uint64_t seed) {
  const auto values = random_values(0, n, seed);
  return {values.begin(), values.end()};
}

/// Exactly n values on the heap, so that an address sanitizer sees each access outside.
template <class T>
std::unique_ptr<T[]> exactly(const std::vector<T>& values) {
  auto copy = std::make_unique<T[]>(values.size());
  std::copy(values.begin(), values.end(), copy.get());
  return copy;
}

/// Kinds whose products are finite.
template <class T>
std::vector<NamedRows<T>> finite_kinds() {
  auto kinds = all_kinds<T>();
  std::erase_if(kinds, [](const auto& kind) { return kind.name.ends_with("strange values"); });
  PlainRows<T> longest = random_pattern<T>(20, 70000, 30, 3, true, true, 1);
  put_values(longest, ValueKind::any, 2);
  kinds.push_back({"a row of 70000", std::move(longest)});
  return kinds;
}

template <class T>
void check_loops(std::string_view set, const host::PackedLoops<T>& loops) {
  constexpr T canary = T(12345.5);
  constexpr LocalIndex room = 8;
  for (const auto& [name, plain] : finite_kinds<T>()) {
    const std::vector<T> x = random_vector<T>(plain.columns, 1), expected = plain.times(x);
    const auto exact_x = exactly(x);
    for (const StorageWish wish : all_wishes)
      for (const bool updatable : {false, true}) {
        SCOPED_TRACE(std::string(set) + ", " + name + ", " + name_of(wish) + (updatable ? ", updatable" : ""));
        const PackedMatrix<T> a = plain.pack(wish, updatable);
        for (std::size_t c = 0; c < a.chunks().size(); ++c) {
          const auto [first, rows] = std::pair(a.chunks()[c].first, a.chunks()[c].rows);
          std::vector<T> y(static_cast<std::size_t>(rows + 3 * room), canary);
          loops.product(a.view(c), exact_x.get(), y.data() + room);
          const auto begin = y.begin() + room, end = begin + rows;
          ASSERT_TRUE(same_bits(&*begin, expected.data() + first, static_cast<std::size_t>(rows)));
          EXPECT_TRUE(std::all_of(y.begin(), begin, [](T v) { return v == canary; }));
          EXPECT_TRUE(std::all_of(end + room, y.end(), [](T v) { return v == canary; }));
        }
      }
  }
}

TEST(PackedLoops, OfEverySetMultiplyAsAPlainLoopToTheBit) {
  int tested = 0;
  for (const std::string_view set : sets) {
    const auto* of_double = host::packed_loops<double>(set);
    const auto* of_float = host::packed_loops<float>(set);
    ASSERT_EQ(of_double == nullptr, of_float == nullptr);
    if (!of_double) continue; // the processor lacks it
    ++tested;
    check_loops(set, *of_double);
    check_loops(set, *of_float);
  }
  EXPECT_GE(tested, 1);
  EXPECT_NE(host::packed_loops<double>("baseline"), nullptr);
  EXPECT_NE(host::packed_loops<double>(host::packed_loops_name()), nullptr);
  EXPECT_EQ(host::packed_loops<double>("x86-64-v9"), nullptr);
}

TEST(PackedLoops, LoadsOfFourStayInsideTheirChunk) {
  // Groups of three work in four lanes: the last load begins at the last value or before it.
  for (LocalIndex rows = 1; rows <= 24; ++rows)
    for (const ValueKind kind : {ValueKind::single, ValueKind::any}) {
      PlainRows<double> plain = grouped_pattern<double>(rows, static_cast<std::uint64_t>(rows));
      put_values(plain, kind, 1);
      const PackedMatrix<double> a = plain.pack(StorageWish::block);
      const PackedChunk& chunk = a.chunks()[0];
      const PackedLayout layout(chunk, sizeof(double));
      const Offset size = chunk.value_width == ValueWidth::full ? 8 : 4;
      EXPECT_LE(layout.values + (Offset{chunk.values} + 3) * size, layout.bytes) << rows;
    }
}

TEST(PackedLoops, InfinityStaysOutOfRowsThatDoNotHoldItsColumn) {
  PlainRows<double> plain = random_pattern<double>(1500, 1500, 60, 7, true, true, 3);
  put_values(plain, ValueKind::any, 4);
  std::vector<double> x = random_vector<double>(1500, 5);
  for (std::size_t i = 0; i < x.size(); i += 97) x[i] = std::numeric_limits<double>::infinity();
  const std::vector<double> expected = plain.times(x);
  for (const StorageWish wish : all_wishes) {
    const PackedMatrix<double> a = plain.pack(wish);
    std::vector<double> y(1500);
    make_host_executor(1)->kernels<double>().packed_multiply(a, 1, x.data(), y.data());
    for (std::size_t i = 0; i < y.size(); ++i) {
      EXPECT_EQ(std::isfinite(y[i]), std::isfinite(expected[i])) << name_of(wish) << ", row " << i;
      if (std::isfinite(expected[i])) {
        EXPECT_EQ(y[i], expected[i]) << name_of(wish) << ", row " << i;
      }
    }
  }
}

/// Column c of k interleaved vectors.
template <class T>
std::vector<T> column_of(const std::vector<T>& x, LocalIndex k, LocalIndex c) {
  std::vector<T> one(x.size() / static_cast<std::size_t>(k));
  for (std::size_t i = 0; i < one.size(); ++i)
    one[i] = x[i * static_cast<std::size_t>(k) + static_cast<std::size_t>(c)];
  return one;
}

// ---- vector loops

/// Lengths on both sides of what vectors hold; u, p and the rest at places that are not aligned.
constexpr LocalIndex lengths[] = {0, 1, 3, 7, 8, 9, 15, 17, 31, 1023, 1024};

template <class T>
void check_direction_and_step(const host::PackedLoops<T>& loops) {
  for (const LocalIndex n : lengths)
    for (const int each : {0, 1}) {
      const auto u0 = random_vector<T>(n + 1, 1), p0 = random_vector<T>(n + 1, 2), w = random_vector<T>(n + 1, 3),
                 d = random_vector<T>(n + 1, 4), x0 = random_vector<T>(n + 1, 5);
      const double alpha = 0.37, beta = -1.3;
      auto u = u0, p = p0, x = x0, want_u = u0, want_p = p0, want_x = x0;
      loops.direction(n, beta, u.data() + 1, p.data() + 1);
      loops.step(n, alpha, each ? host::ChunkScale<T>{T(1), d.data() + 1} : host::ChunkScale<T>{T(0.7), nullptr},
                 w.data() + 1, p.data() + 1, u.data() + 1, x.data() + 1);
      for (std::size_t i = 1; i <= static_cast<std::size_t>(n); ++i) {
        want_p[i] = static_cast<T>(u0[i] + beta * p0[i]);
        want_u[i] = static_cast<T>(u0[i] - alpha * ((each ? d[i] : T(0.7)) * w[i]));
        want_x[i] = static_cast<T>(x0[i] + alpha * want_p[i]);
      }
      EXPECT_TRUE(same_bits(p, want_p) && same_bits(u, want_u) && same_bits(x, want_x)) << n << " rows, " << each;
    }
}

template <class T>
void check_dots(const host::PackedLoops<T>& loops, const host::PackedLoops<T>& baseline) {
  for (const LocalIndex n : lengths)
    for (const int each : {0, 1}) {
      const auto u = random_vector<T>(n, 6), w = random_vector<T>(n, 7);
      auto d = random_vector<T>(n, 8);
      for (T& v : d) v = v < 0 ? v - T(0.5) : v + T(0.5);
      const host::ChunkScale<T> scale{T(0.7), each ? d.data() : nullptr};
      double sums[3], same[3], expected[3] = {};
      loops.dots(n, scale, w.data(), u.data(), sums);
      baseline.dots(n, scale, w.data(), u.data(), same);
      for (std::size_t i = 0; i < u.size(); ++i) {
        const double ui = u[i], r = ui / double{each && n ? d[i] : T(0.7)};
        expected[0] += r * r;
        expected[1] += r * ui;
        expected[2] += double{w[i]} * ui;
      }
      for (int s = 0; s < 3; ++s) {
        EXPECT_EQ(sums[s], same[s]) << n;
        EXPECT_NEAR(sums[s], expected[s], 1e-13 * (1 + n)) << n << " rows, sum " << s;
      }
    }
}

TEST(PackedLoops, OfEverySetStepAndSumAlike) {
  for (const std::string_view set : sets) {
    SCOPED_TRACE(set);
    if (const auto* loops = host::packed_loops<double>(set)) {
      check_direction_and_step(*loops);
      check_dots(*loops, *host::packed_loops<double>("baseline"));
    }
    if (const auto* loops = host::packed_loops<float>(set)) {
      check_direction_and_step(*loops);
      check_dots(*loops, *host::packed_loops<float>("baseline"));
    }
  }
}

// ---- kernels

template <class T>
void check_kernels(const ExecutorPtr& executor) {
  Kernels<T>& kernels = executor->kernels<T>();
  constexpr auto rounding = 10 * static_cast<double>(std::numeric_limits<T>::epsilon()); // values are below 10
  for (const auto& [name, plain] : finite_kinds<T>()) {
    const auto x = random_vector<T>(plain.columns, 1), b = random_vector<T>(plain.rows(), 2);
    const std::vector<T> product = plain.times(x);
    // Three vectors, interleaved.
    const auto xs = random_vector<T>(Offset{plain.columns} * 3, 3);
    std::vector<T> products(product.size() * 3);
    for (LocalIndex c = 0; c < 3; ++c) {
      const std::vector<T> y = plain.times(column_of(xs, 3, c));
      for (std::size_t i = 0; i < y.size(); ++i) products[3 * i + static_cast<std::size_t>(c)] = y[i];
    }
    for (const StorageWish wish : all_wishes) {
      SCOPED_TRACE(std::string(executor->name()) + ", " + name + ", " + name_of(wish));
      const PackedMatrix<T> a = plain.pack(wish);
      const auto y = exactly(std::vector<T>(product.size() * 3)); // a write outside the rows is one outside of y
      kernels.packed_multiply(a, 1, x.data(), y.get());
      EXPECT_TRUE(same_bits(y.get(), product.data(), product.size()));
      kernels.packed_residual(a, x.data(), b.data(), y.get());
      for (std::size_t i = 0; i < b.size(); ++i)
        ASSERT_NEAR(y[i], b[i] - product[i],
                    rounding * static_cast<double>(1 + plain.all.length(static_cast<LocalIndex>(i))));
      kernels.packed_multiply(a, 3, xs.data(), y.get());
      EXPECT_TRUE(same_bits(y.get(), products.data(), products.size()));
    }
  }
}

TEST(PackedKernels, MultiplyAsAPlainLoopToTheBitOnAnyNumberOfThreads) {
  EXPECT_TRUE(make_host_executor(1)->kernels<double>().packs());
  EXPECT_FALSE(make_reference_executor()->kernels<double>().packs());
  check_kernels<double>(make_reference_executor());
  for (const int threads : {1, 3}) {
    check_kernels<double>(make_host_executor(threads));
    check_kernels<float>(make_host_executor(threads));
  }
}

TEST(PackedKernels, MultiplyOnThreadsWritesEachRowOnce) {
  // More rows than one thread is given alone, their number no multiple of a slice.
  PlainRows<double> plain = random_pattern<double>(20003, 20003, 2000, 9, true, true, 11);
  put_values(plain, ValueKind::any, 12);
  const auto x = random_vector<double>(20003, 1);
  const std::vector<double> expected = plain.times(x);
  for (const StorageWish wish : all_wishes) {
    const PackedMatrix<double> a = plain.pack(wish);
    for (const int threads : {1, 2, 3, 5}) {
      std::vector<double> y(20003 + 16, -3.0);
      make_host_executor(threads)->kernels<double>().packed_multiply(a, 1, x.data(), y.data());
      EXPECT_TRUE(same_bits(y.data(), expected.data(), expected.size())) << name_of(wish) << ", " << threads;
      EXPECT_TRUE(std::all_of(y.begin() + 20003, y.end(), [](double v) { return v == -3.0; })) << name_of(wish);
    }
  }
}

template <class T>
void check_multiply_add(const ExecutorPtr& executor) {
  // Rows 0, 3, 6, ... of a longer vector.
  PlainRows<T> plain = random_pattern<T>(9000, 500, 100, 6, true, false, 13);
  put_values(plain, ValueKind::any, 14);
  std::vector<LocalIndex> row_index;
  for (LocalIndex r = 0; r < plain.rows(); ++r) row_index.push_back(3 * r);
  CsrView<T> view = plain.all.view(plain.columns);
  view.row_index = row_index.data();
  for (const LocalIndex k : {1, 2}) {
    const auto x = random_vector<T>(500 * k, 1), before = random_vector<T>(Offset{27000} * k, 2);
    auto y = before, expected = before;
    executor->kernels<T>().csr_multiply_add(view, T(-0.5), k, x.data(), y.data());
    for (LocalIndex c = 0; c < k; ++c) {
      const std::vector<T> product = plain.times(column_of(x, k, c));
      for (LocalIndex r = 0; r < plain.rows(); ++r) expected[3 * r * k + c] += T(-0.5) * product[r];
    }
    EXPECT_TRUE(same_bits(y, expected)) << executor->name() << ", k = " << k;
  }
}

TEST(PackedKernels, AddAProductToTheRowsNamed) {
  for (const auto& executor : {make_reference_executor(), make_host_executor(1), make_host_executor(3)}) {
    check_multiply_add<double>(executor);
    check_multiply_add<float>(executor);
  }
}

} // namespace
} // namespace atl::test
