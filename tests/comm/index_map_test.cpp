#include <atoll/comm/halo_plan.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <support/contexts.hpp>
#include <support/gather.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace atl {
namespace {

using test::Random;

/// A map of random ranges (some empty) with random ghosts, some asked for twice, some owned already.
struct Case {
  std::vector<GlobalIndex> ranges;
  std::set<GlobalIndex> ghosts; ///< of this rank, as they should come out
  IndexMapPtr map;
};

Case make_case(const CommunicatorPtr& comm, GlobalIndex n, std::uint64_t seed) {
  Case c;
  c.ranges = test::random_ranges(n, comm->size(), seed);
  const GlobalIndex begin = c.ranges[comm->rank()], end = c.ranges[comm->rank() + 1];
  Random random(seed * 1000 + static_cast<std::uint64_t>(comm->rank()));
  std::vector<GlobalIndex> wishes;
  for (GlobalIndex i = random.below(n / 2 + 1); n > 0 && i > 0; --i) wishes.push_back(random.below(n));
  for (const GlobalIndex i : wishes)
    if (i < begin || i >= end) c.ghosts.insert(i);
  wishes.insert(wishes.end(), c.ghosts.begin(), c.ghosts.end());
  c.map = IndexMap::create(comm, end - begin, std::move(wishes));
  return c;
}

void check_map(const CommunicatorPtr& comm, GlobalIndex n, std::uint64_t seed) {
  const Case c = make_case(comm, n, seed);
  const IndexMap& map = *c.map;
  EXPECT_EQ(map.global_size(), n);
  EXPECT_EQ(map.owned_begin(), c.ranges[comm->rank()]);
  EXPECT_EQ(map.owned_end(), c.ranges[comm->rank() + 1]);
  EXPECT_TRUE(std::ranges::equal(map.ghosts(), c.ghosts));

  // Ghosts are grouped by the ranks that own them.
  LocalIndex ghost = 0;
  int last_rank = -1;
  for (const auto& owner : map.ghost_owners()) {
    EXPECT_GT(owner.rank, last_rank);
    EXPECT_NE(owner.rank, comm->rank());
    last_rank = owner.rank;
    for (LocalIndex i = 0; i < owner.count; ++i, ++ghost) {
      EXPECT_GE(map.ghosts()[ghost], c.ranges[owner.rank]);
      EXPECT_LT(map.ghosts()[ghost], c.ranges[owner.rank + 1]);
    }
  }
  EXPECT_EQ(ghost, map.n_ghosts());

  for (GlobalIndex i = 0; i < n; ++i) {
    const LocalIndex local = map.to_local(i);
    EXPECT_EQ(local >= 0, map.owns(i) || c.ghosts.contains(i));
    if (local >= 0) {
      EXPECT_EQ(map.to_global(local), i);
    }
  }
}

void check_plan(const CommunicatorPtr& comm, GlobalIndex n, std::uint64_t seed) {
  const Case c = make_case(comm, n, seed);
  const auto plan = HaloPlan::create(c.map);
  // What I am to send to r are r's ghosts in my range, in r's order.
  const auto all_ghosts = test::gather(*comm, std::vector<GlobalIndex>(c.ghosts.begin(), c.ghosts.end()));
  const auto counts = comm->all_gather(std::ssize(c.ghosts));
  std::vector<std::vector<GlobalIndex>> expected(static_cast<std::size_t>(comm->size()));
  std::size_t next = 0;
  for (int r = 0; r < comm->size(); ++r)
    for (std::int64_t i = 0; i < counts[r]; ++i, ++next)
      if (c.map->owns(all_ghosts[next])) expected[r].push_back(all_ghosts[next]);
  std::size_t place = 0;
  for (const auto& neighbour : plan->send()) {
    ASSERT_EQ(std::ssize(expected[neighbour.rank]), neighbour.count);
    for (const GlobalIndex i : expected[neighbour.rank]) EXPECT_EQ(c.map->to_global(plan->send_index()[place++]), i);
    expected[neighbour.rank].clear();
  }
  for (const auto& rest : expected) EXPECT_TRUE(rest.empty());
}

TEST(IndexMap, OwnersGhostsAndNumbersOnManyRanks) {
  for (int ranks : {1, 2, 3, 7, 16})
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      for (GlobalIndex n : {0, 1, 5, 60})
        run_virtual_cluster(ranks, [&](CommunicatorPtr comm) { check_map(comm, n, seed); }, {.seed = seed});
}

TEST(IndexMap, GhostOutOfRangeIsRefusedOnAllRanks) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    std::vector<GlobalIndex> ghosts;
    if (comm->rank() == 1) ghosts = {30};
    EXPECT_THROW(IndexMap::create(comm, 10, ghosts), Error);
  });
}

TEST(IndexMap, MoreThanALocalIndexHoldsIsRefused) {
  const auto comm = make_self_communicator();
  try {
    IndexMap::create(comm, GlobalIndex{1} << 31);
    FAIL() << "2^31 rows on one rank must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::limit);
  }
}

TEST(HaloPlan, SendListsAnswerTheReceiversGhosts) {
  for (int ranks : {1, 2, 5, 16})
    for (std::uint64_t seed = 1; seed <= 5; ++seed)
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) { check_plan(comm, 40, seed); }, {.seed = seed});
}

TEST(MpiIndexMap, MapAndPlan) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    check_map(test::world(), 50, seed);
    check_plan(test::world(), 50, seed);
  }
}

} // namespace
} // namespace atl
