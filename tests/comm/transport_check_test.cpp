#include <atoll/comm/transport_check.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

using Fault = VirtualClusterOptions::Fault;

class TransportCheck : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Ranks, TransportCheck, testing::Values(1, 2, 3, 5, 16));

TEST_P(TransportCheck, SoundChannelsArePersistent) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed)
    run_virtual_cluster(GetParam(),
                        [](CommunicatorPtr comm) {
                          const TransportChoice choice = prove_transport(*comm);
                          EXPECT_EQ(choice.kind, ChannelKind::persistent);
                          EXPECT_EQ(choice.why, "persistent messages carried known bytes around the ring of ranks");
                        },
                        {.seed = seed});
}

TEST_P(TransportCheck, WrongBytesAreNoticed) {
  run_virtual_cluster(GetParam(),
                      [](CommunicatorPtr comm) {
                        const TransportChoice choice = prove_transport(*comm);
                        EXPECT_EQ(choice.kind, ChannelKind::neighborhood);
                        EXPECT_NE(choice.why.find("not used: persistent: byte 0 of 1 from rank"), choice.why.npos)
                            << choice.why;
                      },
                      {.channel_fault = Fault::wrong_data});
}

TEST_P(TransportCheck, StalledChannelIsGivenUp) {
  for (const bool in_order : {false, true})
    run_virtual_cluster(GetParam(),
                        [](CommunicatorPtr comm) {
                          const TransportChoice choice = prove_transport(*comm, 1);
                          EXPECT_EQ(choice.kind, ChannelKind::neighborhood);
                          EXPECT_NE(choice.why.find("rank 0 did not finish within 1 s"), choice.why.npos)
                              << choice.why;
                        },
                        {.in_order = in_order, .channel_fault = Fault::stall});
}

TEST_P(TransportCheck, FaultOfAKindThatIsNotNeededDoesNotMatter) {
  run_virtual_cluster(GetParam(),
                      [](CommunicatorPtr comm) { EXPECT_EQ(prove_transport(*comm).kind, ChannelKind::persistent); },
                      {.channel_fault = Fault::stall, .faulty_kind = ChannelKind::neighborhood});
}

TEST_P(TransportCheck, NothingThatWorksIsAnErrorOnAllRanks) {
  int told = 0;
  run_virtual_cluster(GetParam(),
                      [&](CommunicatorPtr comm) {
                        try {
                          (void)prove_transport(*comm);
                        } catch (const Error& error) {
                          EXPECT_EQ(error.kind(), ErrorKind::environment);
                          const std::string what = error.what();
                          EXPECT_NE(what.find("persistent: byte 0"), what.npos) << what;
                          EXPECT_NE(what.find("neighborhood: byte 0"), what.npos) << what;
                          ++told;
                        }
                      },
                      {.channel_fault = Fault::wrong_data, .faulty_kind = std::nullopt});
  EXPECT_EQ(told, GetParam());
}

TEST(MpiTransportCheck, ChannelsOfThisMpiWork) {
  const TransportChoice choice = prove_transport(*test::world());
  EXPECT_EQ(choice.kind, ChannelKind::persistent);
}

TEST(SelfTransportCheck, OneRankNeedsNoMpi) {
  EXPECT_EQ(prove_transport(*make_self_communicator()).kind, ChannelKind::persistent);
}

} // namespace
} // namespace atl
