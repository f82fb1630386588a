#include <atoll/comm/agree.hpp>
#include <atoll/comm/context.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include "communicator_checks.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

TEST(SelfCommunicator, KeepsEveryPromiseOnOneRank) {
  auto comm = make_self_communicator();
  EXPECT_EQ(comm->size(), 1);
  EXPECT_EQ(comm->name(), "self");
  test::check_collectives(*comm);
  test::check_messages(*comm);
  test::check_channels(*comm);
}

TEST(SelfCommunicator, WaitingForAMessageNeverSentIsAnError) {
  auto comm = make_self_communicator();
  double value = 0;
  const auto request = comm->receive(std::as_writable_bytes(std::span(&value, 1)), 0, 3);
  EXPECT_THROW(request->wait(), Error);
}

TEST(SelfCommunicator, SizesOfAMessageMustAgree) {
  auto comm = make_self_communicator();
  double out[2] = {1, 2}, in = 0;
  const auto sent = comm->send(std::as_bytes(std::span(out)), 0, 3);
  EXPECT_THROW((void)comm->receive(std::as_writable_bytes(std::span(&in, 1)), 0, 3), Error);
}

TEST(SelfCommunicator, DroppedRequestLeavesNothingBehind) {
  auto comm = make_self_communicator();
  double lost = 1, out = 2, in = 0;
  { const auto dropped = comm->send(std::as_bytes(std::span(&lost, 1)), 0, 3); }
  const auto sent = comm->send(std::as_bytes(std::span(&out, 1)), 0, 3);
  const auto received = comm->receive(std::as_writable_bytes(std::span(&in, 1)), 0, 3);
  received->wait();
  EXPECT_EQ(in, 2);
}

TEST(SelfCommunicator, RanksOutsideAreRefused) {
  auto comm = make_self_communicator();
  double value = 0;
  EXPECT_THROW((void)comm->send(std::as_bytes(std::span(&value, 1)), 1, 0), Error);
  EXPECT_THROW((void)comm->receive(std::as_writable_bytes(std::span(&value, 1)), -1, 0), Error);
}

TEST(SelfContext, HasOneRankAndHostMemory) {
  const Context context = make_self_context();
  EXPECT_EQ(context.size(), 1);
  EXPECT_TRUE(context.executor->host_accessible());
}

class VirtualCommunicatorSizes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, VirtualCommunicatorSizes, testing::Values(1, 2, 3, 4, 5, 8, 17, 64));

TEST_P(VirtualCommunicatorSizes, KeepsEveryPromise) {
  const std::uint64_t seeds = GetParam() > 16 ? 2 : 20;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed)
    run_virtual_cluster(GetParam(),
                        [](CommunicatorPtr comm) {
                          test::check_collectives(*comm);
                          test::check_messages(*comm);
                          test::check_channels(*comm);
                          test::check_agreement(*comm);
                        },
                        {.seed = seed, .in_order = seed == 1, .check_collectives = seed % 2 == 0});
}

TEST(Agreement, CarriesKindPlaceAndTextOfTheLowestRank) {
  run_virtual_cluster(5, [](CommunicatorPtr comm) {
    std::optional<Error> mine;
    if (comm->rank() >= 2) mine = Error(ErrorKind::limit, "too large on " + std::to_string(comm->rank()), "a.mtx:7");
    try {
      agree(*comm, mine);
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::limit);
      EXPECT_STREQ(error.what(), "too large on 2");
      EXPECT_EQ(error.where(), "a.mtx:7");
    }
  });
}

TEST(Agreement, MemoryAndForeignExceptionsBecomeErrors) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const auto kind_of = [&](const std::function<void()>& work) {
      try {
        agree(*comm, work);
      } catch (const Error& error) {
        return std::optional(error.kind());
      }
      return std::optional<ErrorKind>();
    };
    const int rank = comm->rank();
    EXPECT_EQ(kind_of([&] {
                if (rank == 1) throw std::bad_alloc();
              }),
              ErrorKind::environment);
    EXPECT_EQ(kind_of([&] {
                if (rank == 2) throw 7;
              }),
              ErrorKind::internal);
    EXPECT_EQ(kind_of([] {}), std::nullopt);
  });
}

TEST(Agreement, CostsOneReductionWhenAllIsWell) {
  const VirtualTraffic traffic = run_virtual_cluster(6, [](CommunicatorPtr comm) { agree(*comm, [] {}); });
  EXPECT_EQ(traffic.reductions, 1);
  EXPECT_EQ(traffic.other_collectives, 0);
  EXPECT_EQ(traffic.messages, 0);
}

} // namespace
} // namespace atl
