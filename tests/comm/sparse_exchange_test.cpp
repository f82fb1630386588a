#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include "support/contexts.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace atl {
namespace {

// Items that rank `from` sends to rank `to` in a random pattern that every rank can compute; -1 where it does
// not send.
Offset planned(std::uint64_t seed, int from, int to, int ranks) {
  test::Random random(seed * 1'000'003 + static_cast<std::uint64_t>(from * ranks + to));
  if (from % 5 == 4 || random.below(ranks) > 3) return -1; // about four destinations; some ranks send nothing
  return random.below(4) == 0 ? 0 : random.below(50);
}

std::vector<PeerCount> planned_destinations(std::uint64_t seed, int rank, int ranks) {
  std::vector<PeerCount> destinations;
  for (int to = ranks - 1; to >= 0; --to) // any order will do
    if (const Offset count = planned(seed, rank, to, ranks); count >= 0) destinations.push_back({to, count});
  return destinations;
}

void check_sources(Communicator& comm, std::uint64_t seed) {
  const auto sources = find_sources(comm, planned_destinations(seed, comm.rank(), comm.size()));
  std::size_t at = 0;
  for (int from = 0; from < comm.size(); ++from) {
    const Offset count = planned(seed, from, comm.rank(), comm.size());
    if (count < 0) continue;
    if (at == sources.size()) {
      ADD_FAILURE() << "rank " << from << " is missing";
      return;
    }
    EXPECT_EQ(sources[at].rank, from);
    EXPECT_EQ(sources[at].count, count);
    ++at;
  }
  EXPECT_EQ(at, sources.size());
}

struct Item {
  std::int32_t from, to;
  std::int64_t number;
  bool operator==(const Item&) const = default;
};

void check_exchange(const CommunicatorPtr& comm, std::uint64_t seed) {
  BulkExchange plan(comm, planned_destinations(seed, comm->rank(), comm->size()));
  std::vector<Item> items;
  for (const PeerCount& peer : plan.destinations())
    for (Offset i = 0; i < peer.count; ++i) items.push_back({comm->rank(), peer.rank, i});
  const std::vector<Item> received = exchange<Item>(plan, items);
  std::vector<Item> expected;
  for (int from = 0; from < comm->size(); ++from)
    for (Offset i = 0; i < planned(seed, from, comm->rank(), comm->size()); ++i)
      expected.push_back({from, comm->rank(), i});
  EXPECT_TRUE(received == expected);
  EXPECT_EQ(plan.received(), std::ssize(expected));

  // Answers come back to the askers in their order.
  std::vector<std::int64_t> answers;
  for (const Item& item : received) answers.push_back(item.from * 1'000'000 + item.to * 1000 + item.number);
  const auto back = exchange_back<std::int64_t>(plan, answers);
  std::vector<std::int64_t> wanted;
  for (const Item& item : items) wanted.push_back(item.from * 1'000'000 + item.to * 1000 + item.number);
  EXPECT_EQ(back, wanted);
}

TEST(SparseExchange, RandomPatternsOnManyRanks) {
  for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 13, 31, 64})
    for (std::uint64_t seed = 1; seed <= (ranks > 16 ? 2u : 12u); ++seed)
      run_virtual_cluster(ranks,
                          [&](CommunicatorPtr comm) {
                            check_sources(*comm, seed);
                            check_exchange(comm, seed);
                          },
                          {.seed = seed});
}

TEST(SparseExchange, EverybodyToEverybodyAndNobody) {
  run_virtual_cluster(9, [](CommunicatorPtr comm) {
    std::vector<PeerCount> all;
    for (int r = 0; r < comm->size(); ++r) all.push_back({r, r + 1});
    const auto sources = find_sources(*comm, all);
    EXPECT_EQ(sources.size(), 9u);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      EXPECT_EQ(sources[s].rank, static_cast<int>(s));
      EXPECT_EQ(sources[s].count, comm->rank() + 1);
    }
    EXPECT_TRUE(find_sources(*comm, {}).empty());
  });
}

// log2(P) steps of two messages a rank, whatever the number of destinations.
TEST(SparseExchange, SourcesCostFewMessages) {
  const VirtualTraffic traffic = run_virtual_cluster(64, [](CommunicatorPtr comm) {
    const PeerCount one{(comm->rank() * 7 + 3) % 64, 5};
    EXPECT_EQ(find_sources(*comm, std::span(&one, 1)).size(), 1u); // 7 is a unit modulo 64
  });
  EXPECT_EQ(traffic.messages, 64 * 6 * 2);
}

// Forty messages of 256 KiB each way between two ranks, and as much to itself; the values are checked as they
// come.
TEST(SparseExchange, LargeAmountsGoInBoundedRounds) {
  constexpr Offset count = 10 << 17; // 8-byte items
  const VirtualTraffic traffic = run_virtual_cluster(2, [](CommunicatorPtr comm) {
    BulkExchange plan(comm, {{1, count}, {0, count}});
    const int me = comm->rank();
    const VirtualTraffic before = atl::traffic(*comm);
    comm->barrier();
    std::vector<Offset> next(plan.sources().size(), 0);
    Offset largest = 0, wrong = 0;
    plan.run(
        sizeof(std::int64_t),
        [&](std::size_t d, Offset first, Offset n, std::byte* out) {
          auto* items = reinterpret_cast<std::int64_t*>(out);
          for (Offset i = 0; i < n; ++i) items[i] = (first + i) * 4 + me * 2 + plan.destinations()[d].rank;
        },
        [&](std::size_t s, Offset first, Offset n, const std::byte* in) {
          const auto* items = reinterpret_cast<const std::int64_t*>(in);
          wrong += first != std::exchange(next[s], first + n);
          for (Offset i = 0; i < n; ++i) wrong += items[i] != (first + i) * 4 + plan.sources()[s].rank * 2 + me;
          largest = std::max(largest, n);
        });
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(next, (std::vector<Offset>{count, count}));
    EXPECT_LE(largest * 8, 1 << 18);
    comm->barrier();
    EXPECT_EQ(atl::traffic(*comm).messages - before.messages, 80);
  });
  EXPECT_GE(traffic.bytes, 2 * 8 * count);
}

// More under way than the windows hold, among all ranks, in every order.
TEST(SparseExchange, WindowsDoNotDeadlock) {
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    run_virtual_cluster(5,
                        [](CommunicatorPtr comm) {
                          std::vector<PeerCount> all;
                          for (int r = 0; r < comm->size(); ++r) all.push_back({r, 5 + (r + comm->rank()) % 3});
                          BulkExchange plan(comm, all);
                          Offset arrived = 0;
                          plan.run(
                              std::size_t{1} << 20, [](std::size_t, Offset, Offset, std::byte*) {},
                              [&](std::size_t, Offset, Offset n, const std::byte*) { arrived += n; });
                          EXPECT_EQ(arrived, plan.received());
                        },
                        {.seed = seed});
}

TEST(SparseExchange, FailureOfTheCallersFunctionsHindersNobody) {
  run_virtual_cluster(4, [](CommunicatorPtr comm) {
    std::vector<PeerCount> all;
    for (int r = 0; r < comm->size(); ++r) all.push_back({r, 3});
    BulkExchange plan(comm, all);
    const bool bad = comm->rank() == 2;
    const auto pack = [&](std::size_t, Offset, Offset, std::byte*) {
      if (bad) throw Error(ErrorKind::bad_input, "planted");
    };
    const auto run = [&] { plan.run(8, pack, [](std::size_t, Offset, Offset, const std::byte*) {}); };
    if (bad) {
      EXPECT_THROW(run(), Error);
    } else {
      EXPECT_NO_THROW(run());
    }
  });
}

TEST(SparseExchange, DestinationsNamedTwiceOrOutsideAreRefusedOnAllRanks) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    std::vector<PeerCount> wrong;
    if (comm->rank() == 1) wrong = {{2, 1}, {2, 4}};
    EXPECT_THROW(find_sources(*comm, wrong), Error);
    if (comm->rank() == 1) wrong = {{3, 1}};
    EXPECT_THROW(find_sources(*comm, wrong), Error);
  });
}

TEST(MpiSparseExchange, RandomPatterns) {
  const CommunicatorPtr comm = test::world();
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    check_sources(*comm, seed);
    check_exchange(comm, seed);
  }
}

TEST(MpiSparseExchange, LargeAmounts) {
  const CommunicatorPtr comm = test::world();
  std::vector<PeerCount> all;
  for (int r = 0; r < comm->size(); ++r) all.push_back({r, 300'000 + r});
  BulkExchange plan(comm, all);
  std::vector<std::int64_t> items;
  for (const PeerCount& peer : all)
    for (Offset i = 0; i < peer.count; ++i) items.push_back(comm->rank() * 1'000'000 + i);
  const auto received = exchange<std::int64_t>(plan, items);
  std::size_t at = 0, wrong = 0;
  for (int from = 0; from < comm->size(); ++from)
    for (Offset i = 0; i < 300'000 + comm->rank(); ++i) wrong += received[at++] != from * 1'000'000 + i;
  EXPECT_EQ(at, received.size());
  EXPECT_EQ(wrong, 0u);
}

} // namespace
} // namespace atl
