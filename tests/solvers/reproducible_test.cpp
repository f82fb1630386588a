#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/core/random.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/registry.hpp>

#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <mutex>
#include <numeric>

namespace atl {
namespace {

constexpr GlobalIndex n = 2600; // three chunks on one rank

/// Neighbours of an original row: a ring with chords, so that parts meet everywhere.
std::vector<GlobalIndex> neighbours(GlobalIndex row) {
  std::vector<GlobalIndex> found{(row + 1) % n, (row + n - 1) % n};
  for (const GlobalIndex step : {GlobalIndex{51}, GlobalIndex{700}}) {
    found.push_back((row + step) % n);
    found.push_back((row + n - step) % n);
  }
  return found;
}

double entry(GlobalIndex i, GlobalIndex j) { return -0.5 - hash_uniform(3, static_cast<std::uint64_t>(i + j)) / 3; }

struct Layout {
  int ranks;
  std::uint64_t seed; ///< 0: rows in original order
  std::string executor;
  int threads;
};

struct Outcome {
  std::vector<std::uint64_t> history;
  std::map<GlobalIndex, std::uint64_t> x; ///< by original row
  bool operator==(const Outcome&) const = default;
};

class Recorder final : public Observer {
 public:
  void iteration(int, double residual, double) override { history.push_back(std::bit_cast<std::uint64_t>(residual)); }
  std::vector<std::uint64_t> history;
};

/// place[i]: global number of original row i in this layout.
std::vector<GlobalIndex> places(const Layout& layout) {
  std::vector<GlobalIndex> place(n);
  std::iota(place.begin(), place.end(), 0);
  test::Random random(layout.seed);
  if (layout.seed > 0)
    for (GlobalIndex i = n - 1; i > 0; --i) std::swap(place[i], place[random.below(i + 1)]);
  return place;
}

/// singular: rows sum to zero.
Outcome solve(const Layout& layout, bool singular, const char* preconditioner, CgVariant variant,
              bool reproducible = true) {
  const std::vector<GlobalIndex> place = places(layout);
  std::vector<GlobalIndex> original(n);
  for (GlobalIndex i = 0; i < n; ++i) original[place[i]] = i;
  // Ranges of uneven size, some empty.
  std::vector<GlobalIndex> begin{0};
  test::Random random(layout.seed + 17);
  for (int r = 1; r < layout.ranks; ++r) begin.push_back(random.below(n + 1));
  std::sort(begin.begin(), begin.end());
  begin.push_back(n);

  Outcome outcome;
  std::mutex mutex;
  run_virtual_cluster(layout.ranks, [&](CommunicatorPtr comm) {
    Context context = test::test_context(comm, layout.executor == "host" ? make_host_executor(layout.threads)
                                                                         : test::make_executor(layout.executor));
    const auto recorder = std::make_shared<Recorder>();
    context.observer = recorder;
    const GlobalIndex first = begin[comm->rank()], last = begin[comm->rank() + 1];
    RowBlock<double> rows{n, n, first, {0}, {}, {}};
    for (GlobalIndex g = first; g < last; ++g) {
      double sum = 0;
      for (const GlobalIndex j : neighbours(original[g])) {
        rows.column.push_back(place[j]);
        rows.value.push_back(entry(original[g], j));
        sum += rows.value.back();
      }
      rows.column.push_back(g);
      rows.value.push_back(singular ? -sum : 0.05 - sum);
      rows.offsets.push_back(rows.entries());
    }
    const std::span<const GlobalIndex> order(original.data() + first, static_cast<std::size_t>(last - first));
    auto a = std::make_shared<DSparseMatrix<double>>(
        DSparseMatrix<double>::from_rows(context, std::move(rows), -1, {.column_order = order}));
    DVector<double> b = a->make_row_vector(), x = a->make_col_vector();
    std::vector<double> values;
    for (const GlobalIndex i : order) values.push_back(hash_uniform(5, static_cast<std::uint64_t>(i)));
    b.set_owned(values);

    NullSpace<double> space;
    if (singular) space = NullSpace<double>::find(*a);
    space.set_reproducible();
    auto m = make_preconditioner<double>(preconditioner);
    m->setup(*a);
    MatrixOperator<double> op(a);
    Cg<double> cg(variant);
    cg.set_reproducible(reproducible);
    const SolveResult result = cg.solve(op, *m, b, x, {.rtol = 1e-9}, space);
    EXPECT_TRUE(result.converged());

    const std::lock_guard lock(mutex);
    const std::vector<double> owned = x.owned_to_host();
    for (std::size_t i = 0; i < owned.size(); ++i) outcome.x[order[i]] = std::bit_cast<std::uint64_t>(owned[i]);
    if (comm->rank() == 0) outcome.history = recorder->history;
  });
  return outcome;
}

const Layout layouts[] = {{2, 0, "host", 1}, {3, 5, "host", 2},      {7, 6, "host", 1},
                          {1, 7, "host", 3}, {4, 8, "reference", 1}, {3, 9, "guarded", 1}};

TEST(Reproducible, TheSameBitsInEveryLayout) {
  for (const char* preconditioner : {"jacobi", "none"})
    for (const CgVariant variant : {CgVariant::single_reduction, CgVariant::textbook, CgVariant::pipelined}) {
      const Outcome expected = solve({1, 0, "host", 1}, false, preconditioner, variant);
      EXPECT_GT(expected.history.size(), 20u);
      EXPECT_EQ(expected.x.size(), static_cast<std::size_t>(n));
      for (const Layout& layout : layouts) {
        // On other executors "cg" is not fused, and residuals, from which the pipelined form goes on now and then, are
        // summed in another order: rounding differs, and so these are compared with themselves.
        if (layout.executor != "host" && variant != CgVariant::textbook) continue;
        EXPECT_EQ(solve(layout, false, preconditioner, variant), expected)
            << layout.ranks << ' ' << layout.executor << ' ' << preconditioner;
      }
    }
  for (const CgVariant variant : {CgVariant::single_reduction, CgVariant::pipelined}) {
    const Outcome unfused = solve({1, 0, "reference", 1}, false, "jacobi", variant);
    EXPECT_EQ(solve({4, 8, "reference", 1}, false, "jacobi", variant), unfused);
    EXPECT_EQ(solve({3, 9, "guarded", 1}, false, "jacobi", variant), unfused);
  }
}

TEST(Reproducible, SingularSystemsToo) {
  const Outcome expected = solve({1, 0, "host", 1}, true, "jacobi", CgVariant::single_reduction);
  for (const Layout& layout : layouts) {
    if (layout.executor != "host") continue;
    EXPECT_EQ(solve(layout, true, "jacobi", CgVariant::single_reduction), expected) << layout.ranks;
  }
}

TEST(Reproducible, RoundedSumsWouldDiffer) {
  const Layout one{1, 0, "host", 1}, other{7, 6, "host", 1};
  EXPECT_NE(solve(one, false, "jacobi", CgVariant::single_reduction, false),
            solve(other, false, "jacobi", CgVariant::single_reduction, false));
}

} // namespace
} // namespace atl
