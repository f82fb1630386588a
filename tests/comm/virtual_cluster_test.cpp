#include <atoll/comm/agree.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <gtest/gtest.h>

#include <algorithm>

namespace atl {
namespace {

using Body = std::function<void(CommunicatorPtr)>;

std::span<std::byte> bytes(std::int64_t& value) { return std::as_writable_bytes(std::span(&value, 1)); }

// What a run throws; empty when it ends well.
std::string failure_of(int ranks, const Body& body, const VirtualClusterOptions& options = {}) {
  try {
    run_virtual_cluster(ranks, body, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return {};
}

testing::AssertionResult has(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* part : parts)
    if (text.find(part) == text.npos) return testing::AssertionFailure() << '"' << part << "\" is not in: " << text;
  return testing::AssertionSuccess();
}

void skip_a_collective(CommunicatorPtr comm) {
  if (comm->rank() != 1) comm->barrier();
}

void ring_of_blocking_sends(CommunicatorPtr comm) {
  std::int64_t out = comm->rank(), in = 0;
  const int p = comm->size();
  comm->send(bytes(out), (comm->rank() + 1) % p, 7)->wait(); // works only where messages are buffered
  comm->receive(bytes(in), (comm->rank() + p - 1) % p, 7)->wait();
}

void ring_of_blocking_receives(CommunicatorPtr comm) {
  std::int64_t in = 0;
  comm->receive(bytes(in), (comm->rank() + 1) % comm->size(), 7)->wait();
}

// Every seed must find a fault that every seed has.
TEST(VirtualCluster, FindsDeadlocks) {
  for (const bool in_order : {false, true})
    for (const int ranks : {2, 3, 8, 64})
      for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const VirtualClusterOptions options{.seed = seed, .in_order = in_order};
        EXPECT_TRUE(has(failure_of(ranks, skip_a_collective, options),
                        {"deadlock", "rank 0 waits in barrier", "virtual_cluster_test.cpp", "rank 1 has returned"}));
        EXPECT_TRUE(has(failure_of(ranks, ring_of_blocking_sends, options),
                        {"deadlock", "rank 0 waits until rank 1 receives", "tag 7", "virtual_cluster_test.cpp"}));
        EXPECT_TRUE(has(failure_of(ranks, ring_of_blocking_receives, options),
                        {"deadlock", "rank 0 waits for 8 bytes from rank 1", "tag 7"}));
      }
}

TEST(VirtualCluster, RingOfOneRankToItselfDeadlocksToo) {
  EXPECT_TRUE(has(failure_of(1, ring_of_blocking_sends), {"deadlock", "rank 0 waits until rank 0 receives"}));
}

TEST(VirtualCluster, FindsMessagesThatNobodyReceives) {
  const Body dropped = [](CommunicatorPtr comm) {
    std::int64_t out = 1;
    if (comm->rank() == 0) const auto request = comm->send(bytes(out), 1, 3);
  };
  EXPECT_TRUE(has(failure_of(2, dropped), {"rank 0 dropped", "rank 1", "tag 3"}));

  std::vector<RequestPtr> kept;
  std::int64_t out = 1;
  const Body unreceived = [&](CommunicatorPtr comm) {
    if (comm->rank() == 0) kept.push_back(comm->send(bytes(out), 1, 3));
  };
  EXPECT_TRUE(has(failure_of(2, unreceived), {"rank 0 sent 8 bytes to rank 1", "never received", "tag 3"}));
}

TEST(VirtualCluster, FindsSizesThatDiffer) {
  const Body body = [](CommunicatorPtr comm) {
    std::int64_t values[2] = {1, 2};
    const auto all = std::as_writable_bytes(std::span(values));
    if (comm->rank() == 0) comm->send(all, 1, 3)->wait();
    if (comm->rank() == 1) comm->receive(all.first(8), 0, 3)->wait();
  };
  EXPECT_TRUE(has(failure_of(2, body), {"rank 0 sends 16 bytes to rank 1", "receives 8 bytes", "tag 3"}));
}

// Two values under one tag, received in the wrong order: wrong with every seed, since messages do not
// overtake.
TEST(VirtualCluster, MessagesOfOneTagKeepTheirOrder) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed)
    run_virtual_cluster(2,
                        [](CommunicatorPtr comm) {
                          std::int64_t a = 1, b = 2;
                          const int other = 1 - comm->rank();
                          if (comm->rank() == 0) {
                            const auto first = comm->send(bytes(a), other, 3),
                                       second = comm->send(bytes(b), other, 3);
                            second->wait();
                            first->wait();
                          } else {
                            const auto first = comm->receive(bytes(b), other, 3),
                                       second = comm->receive(bytes(a), other, 3);
                            second->wait();
                            first->wait();
                            EXPECT_EQ(b, 1);
                            EXPECT_EQ(a, 2);
                          }
                        },
                        {.seed = seed});
}

// Which of two senders is heard first depends on the seed alone.
std::vector<int> order_of_arrival(std::uint64_t seed, bool in_order) {
  std::vector<int> order; // only one rank runs at a time
  run_virtual_cluster(6,
                      [&](CommunicatorPtr comm) {
                        for (int step = 0; step < 5; ++step) {
                          std::int64_t out = 0, in = 0;
                          const int p = comm->size(), to = (comm->rank() + 1) % p, from = (comm->rank() + p - 1) % p;
                          const auto receive = comm->receive(bytes(in), from, step);
                          const auto send = comm->send(bytes(out), to, step);
                          receive->wait();
                          order.push_back(comm->rank());
                          send->wait();
                        }
                      },
                      {.seed = seed, .in_order = in_order});
  return order;
}

TEST(VirtualCluster, SeedDecidesEverything) {
  const auto first = order_of_arrival(1, false);
  EXPECT_EQ(first, order_of_arrival(1, false));
  int different = 0;
  for (std::uint64_t seed = 2; seed < 12; ++seed) different += order_of_arrival(seed, false) != first;
  EXPECT_GE(different, 9);
  EXPECT_EQ(order_of_arrival(1, true), order_of_arrival(2, true));
}

TEST(VirtualCluster, FirstFailureOfARankIsThrown) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Body body = [](CommunicatorPtr comm) {
      if (comm->rank() == 3) throw Error(ErrorKind::internal, "planted");
      comm->barrier();
      ADD_FAILURE() << "a barrier without rank 3";
    };
    EXPECT_EQ(failure_of(8, body, {.seed = seed}), "planted");
  }
}

TEST(VirtualCluster, RequestsUnderWayDoNotHinderAFailure) {
  const Body body = [](CommunicatorPtr comm) {
    std::int64_t in = 0;
    double sum = 1;
    const auto receive = comm->receive(bytes(in), (comm->rank() + 1) % comm->size(), 3);
    const auto reduce = comm->start_all_reduce(std::span(&sum, 1), ReduceOp::sum);
    if (comm->rank() == 2) throw Error(ErrorKind::internal, "planted");
    receive->wait();
    reduce->wait();
  };
  EXPECT_EQ(failure_of(4, body), "planted");
}

TEST(VirtualCluster, PartedRanksGetTheErrorThatNamesBoth) {
  for (const int ranks : {2, 5, 64}) {
    int told = 0;
    run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      try {
        if (comm->rank() == ranks - 1)
          (void)comm->all_reduce(1.0, ReduceOp::sum);
        else
          comm->barrier();
      } catch (const Error& error) {
        const std::string rank = "rank " + std::to_string(ranks - 1);
        EXPECT_TRUE(has(error.what(), {"rank 0 calls barrier", rank.c_str(), "all_reduce(sum, double) of 1",
                                       "virtual_cluster_test.cpp"}));
        ++told;
      }
    });
    EXPECT_EQ(told, ranks);
  }
}

TEST(VirtualCluster, PartedRanksAreFoundWithoutChecksToo) {
  const Body kinds = [](CommunicatorPtr comm) {
    if (comm->rank() == 1)
      (void)comm->exclusive_sum(1);
    else
      comm->barrier();
  };
  EXPECT_TRUE(has(failure_of(3, kinds, {.check_collectives = false}), {"parted", "barrier", "exclusive_sum"}));
  const Body sizes = [](CommunicatorPtr comm) {
    std::vector<double> values(comm->rank() == 1 ? 2 : 1);
    comm->all_reduce(std::span<double>(values), ReduceOp::sum);
  };
  EXPECT_TRUE(has(failure_of(3, sizes, {.check_collectives = false}), {"parted", "sizes"}));
  EXPECT_TRUE(has(failure_of(3, sizes), {"all_reduce(sum, double) of 1", "all_reduce(sum, double) of 2"}));
}

TEST(VirtualCluster, AgreementAndReductionAreNotTheSame) {
  const Body body = [](CommunicatorPtr comm) {
    if (comm->rank() == 0)
      agree(*comm, std::nullopt);
    else
      (void)comm->all_reduce(std::int64_t{5}, ReduceOp::min);
  };
  EXPECT_TRUE(has(failure_of(2, body), {"rank 0 calls agree", "rank 1 calls all_reduce(min, int64)"}));
}

std::unique_ptr<Channel> ring_channel(Communicator& comm, ChannelKind kind, std::int64_t& out, std::int64_t& in) {
  const int p = comm.size();
  const ChannelPeer to{(comm.rank() + 1) % p, 8}, from{(comm.rank() + p - 1) % p, 8};
  return comm.open_channel(kind, std::span(&to, 1), bytes(out).data(), std::span(&from, 1), bytes(in).data());
}

TEST(VirtualCluster, FindsChannelsLeftInFlight) {
  for (const ChannelKind kind : {ChannelKind::persistent, ChannelKind::neighborhood}) {
    const Body body = [&](CommunicatorPtr comm) {
      std::int64_t out = 1, in = 0;
      const auto channel = ring_channel(*comm, kind, out, in);
      channel->start();
      if (comm->rank() > 0) channel->wait();
    };
    EXPECT_TRUE(has(failure_of(3, body), {"rank 0 destroyed its", "channel", "in flight"}));
  }
}

TEST(VirtualCluster, FindsNeighbourhoodsThatSomeRanksDoNotStart) {
  const Body body = [](CommunicatorPtr comm) {
    const auto channel = comm->open_channel(ChannelKind::neighborhood, {}, nullptr, {}, nullptr);
    if (comm->rank() != 1) channel->start();
    channel->wait();
  };
  EXPECT_TRUE(has(failure_of(3, body), {"rank 0 started neighborhood channel", "1 times", "rank 1 0 times"}));
}

TEST(VirtualCluster, FindsChannelsWhoseEndsDiffer) {
  const Body body = [](CommunicatorPtr comm) {
    std::int64_t out[2] = {}, in[2] = {};
    const std::size_t expected = comm->rank() == 1 ? 16 : 8;
    const ChannelPeer to{1 - comm->rank(), 8}, from{1 - comm->rank(), expected};
    const auto channel = comm->open_channel(ChannelKind::persistent, std::span(&to, 1), bytes(out[0]).data(),
                                            std::span(&from, 1), std::as_writable_bytes(std::span(in)).data());
    channel->start();
    channel->wait();
  };
  EXPECT_TRUE(
      has(failure_of(2, body), {"rank 0 sends 8 bytes to rank 1", "receives 16 bytes", "persistent channel"}));
}

TEST(VirtualTraffic, IsCountedExactly) {
  for (const int ranks : {1, 2, 7}) {
    const VirtualTraffic all = run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
      comm->barrier();
      const VirtualTraffic before = traffic(*comm);
      comm->barrier();
      std::int64_t out = 1, in = 0;
      const auto channel = ring_channel(*comm, ChannelKind::persistent, out, in); // one reduction
      for (int i = 0; i < 3; ++i) {
        channel->start();
        channel->wait();
      }
      (void)comm->all_reduce(1.0, ReduceOp::sum);
      (void)comm->exclusive_sum(1);
      comm->barrier();
      const VirtualTraffic after = traffic(*comm);
      comm->barrier();
      EXPECT_EQ(after.messages - before.messages, 3 * ranks);
      EXPECT_EQ(after.bytes - before.bytes, 24 * ranks);
      EXPECT_EQ(after.reductions - before.reductions, 3);
      EXPECT_EQ(after.other_collectives - before.other_collectives, 2);
    });
    EXPECT_EQ(all.messages, 3 * ranks);
    EXPECT_EQ(all.other_collectives, 4);
  }
  EXPECT_THROW((void)traffic(*make_self_communicator()), Error);
}

TEST(VirtualCluster, NoRanksAreRefused) {
  EXPECT_THROW(run_virtual_cluster(0, [](CommunicatorPtr) {}), Error);
}

} // namespace
} // namespace atl
