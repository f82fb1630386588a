#include <atoll/comm/agree.hpp>
#include <atoll/comm/mpi_communicator.hpp>

#include "communicator_checks.hpp"

#include <gtest/gtest.h>

#include <array>

// MPI's profiling interface: the library's calls come here first.
namespace {
int duplicates_made = 0;
int graphs_made = 0;
} // namespace

extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  ++duplicates_made;
  return PMPI_Comm_dup(comm, copy);
}

extern "C" int MPI_Dist_graph_create_adjacent(MPI_Comm comm, int in, const int sources[], const int in_weights[],
                                              int out, const int destinations[], const int out_weights[],
                                              MPI_Info info, int reorder, MPI_Comm* graph) {
  ++graphs_made;
  return PMPI_Dist_graph_create_adjacent(comm, in, sources, in_weights, out, destinations, out_weights, info, reorder,
                                         graph);
}

namespace atl {
namespace {

TEST(MpiCommunicator, KeepsEveryPromise) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  EXPECT_EQ(comm->name(), "mpi");
  for (const bool checked : {false, true}) {
    comm->check_collectives(checked);
    test::check_collectives(*comm);
    test::check_messages(*comm);
    test::check_channels(*comm);
    test::check_agreement(*comm);
  }
}

TEST(MpiCommunicator, ThousandsOfObjectsShareOneDuplicate) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const int before = duplicates_made;
  const auto first = make_mpi_communicator(own);
  std::vector<CommunicatorPtr> alive;
  int different = 0;
  for (int i = 0; i < 5000; ++i) {
    auto made = make_mpi_communicator(own);
    different += native_handle(*made) != native_handle(*first);
    if (i % 2) alive.push_back(std::move(made));
  }
  EXPECT_EQ(different, 0);
  EXPECT_EQ(duplicates_made - before, 1);
  EXPECT_EQ(alive.size(), 2500u);
  int relation = MPI_UNEQUAL;
  MPI_Comm_compare(own, native_handle(*first), &relation);
  EXPECT_EQ(relation, MPI_CONGRUENT); // same ranks, apart from the caller's
  EXPECT_EQ(alive.back()->all_reduce(std::int64_t{1}, ReduceOp::sum), first->size());
  MPI_Comm_free(&own);
}

TEST(MpiCommunicator, ObjectsOverOneDuplicateGetDifferentTags) {
  const auto one = make_mpi_communicator(MPI_COMM_WORLD), other = make_mpi_communicator(MPI_COMM_WORLD);
  const int tag = one->next_tag();
  EXPECT_NE(tag, other->next_tag());
}

TEST(MpiCommunicator, CallersWildcardReceiveGetsOnlyTheCallersMessage) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  int caught = 0;
  MPI_Request pending;
  MPI_Irecv(&caught, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &pending);
  test::check_messages(*comm);
  test::check_channels(*comm);
  int done = 0;
  MPI_Test(&pending, &done, MPI_STATUS_IGNORE);
  EXPECT_FALSE(done);
  comm->barrier(); // nobody sends before all have looked
  const int mine = 4711 + comm->rank();
  const int next = (comm->rank() + 1) % comm->size(), before = (comm->rank() + comm->size() - 1) % comm->size();
  if (!done) {
    MPI_Send(&mine, 1, MPI_INT, next, 5, MPI_COMM_WORLD);
    MPI_Wait(&pending, MPI_STATUS_IGNORE);
  }
  EXPECT_EQ(caught, 4711 + before);
}

TEST(MpiCommunicator, AnyCommunicatorWillDo) {
  const auto world = make_mpi_communicator(MPI_COMM_WORLD);
  MPI_Comm part;
  MPI_Comm_split(MPI_COMM_WORLD, world->rank() % 2, -world->rank(), &part); // reversed order of ranks
  const auto comm = make_mpi_communicator(part);
  int rank = -1, size = 0;
  MPI_Comm_rank(part, &rank);
  MPI_Comm_size(part, &size);
  EXPECT_EQ(comm->rank(), rank);
  EXPECT_EQ(comm->size(), size);
  test::check_collectives(*comm);
  test::check_channels(*comm);

  const auto alone = make_mpi_communicator(MPI_COMM_SELF);
  EXPECT_EQ(alone->size(), 1);
  test::check_collectives(*alone);
  test::check_messages(*alone);
  test::check_channels(*alone);

  const auto converted = make_mpi_communicator(MPI_Comm_f2c(MPI_Comm_c2f(part)));
  EXPECT_EQ(native_handle(*converted), native_handle(*comm));
  MPI_Comm_free(&part);
}

// The caller may free a communicator before the objects over it go; then they only refuse to work.
TEST(MpiCommunicator, OutlivesTheCallersCommunicatorQuietly) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  const auto comm = make_mpi_communicator(own);
  std::array<double, 1> out{1}, in{0};
  const ChannelPeer next{(comm->rank() + 1) % comm->size(), sizeof(double)};
  const ChannelPeer before{(comm->rank() + comm->size() - 1) % comm->size(), sizeof(double)};
  auto channel =
      comm->open_channel(ChannelKind::persistent, std::span(&next, 1), std::as_bytes(std::span(out)).data(),
                         std::span(&before, 1), std::as_writable_bytes(std::span(in)).data());
  channel->start();
  channel->wait();
  EXPECT_EQ(in[0], 1);
  MPI_Comm_free(&own);
  EXPECT_THROW(comm->barrier(), Error);
  EXPECT_THROW(channel->start(), Error);
  channel.reset();
}

TEST(MpiCommunicator, CopyOfACommunicatorGetsItsOwnDuplicate) {
  const auto world = make_mpi_communicator(MPI_COMM_WORLD);
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const auto comm = make_mpi_communicator(copy);
  EXPECT_NE(native_handle(*comm), native_handle(*world));
  MPI_Comm_free(&copy);
  EXPECT_EQ(world->all_reduce(std::int64_t{1}, ReduceOp::sum), world->size());
}

TEST(MpiCommunicator, NoCommunicatorIsRefused) {
  try {
    (void)make_mpi_communicator(MPI_COMM_NULL);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

TEST(MpiCommunicator, NativeHandleOfOtherKinds) {
  EXPECT_EQ(native_handle(*make_self_communicator()), MPI_COMM_SELF);
}

// Rank 0 enters a barrier, the others a reduction: all get the error that names both.
TEST(MpiCommunicator, PartedRanksAreTold) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  comm->check_collectives(true);
  std::string told;
  try {
    if (comm->rank() == 0)
      comm->barrier();
    else
      (void)comm->all_reduce(1.0, ReduceOp::sum);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    told = error.what();
  }
  if (comm->size() == 1) {
    EXPECT_EQ(told, "");
    return;
  }
  EXPECT_NE(told.find("barrier"), told.npos) << told;
  EXPECT_NE(told.find("all_reduce(sum, double)"), told.npos) << told;
  EXPECT_NE(told.find("mpi_communicator_test.cpp"), told.npos) << told;

  std::vector<double> values(comm->rank() == comm->size() - 1 ? 3 : 2);
  EXPECT_THROW(comm->all_reduce(std::span<double>(values), ReduceOp::sum), Error);
}

TEST(MpiCommunicator, WrongSizeOfAMessageIsTold) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  const int tag = comm->next_tag();
  const double out = 1;
  std::array<double, 2> in{};
  const auto sent = comm->send(std::as_bytes(std::span(&out, 1)), comm->rank(), tag);
  const auto received = comm->receive(std::as_writable_bytes(std::span(in)), comm->rank(), tag);
  EXPECT_THROW(received->wait(), Error);
  sent->wait();
}

// Different matrices, one pattern: neighbourhood channels share MPI's graph.
TEST(MpiChannel, ManyNeighbourhoodsWithTwoPatternsWork) {
  const auto comm = make_mpi_communicator(MPI_COMM_WORLD);
  const int p = comm->size();
  const int graphs_before = graphs_made;
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<std::array<std::int64_t, 2>> buffers(200); // out, in
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const int step = i % 2 ? 1 : p - 1;
    const ChannelPeer to{(comm->rank() + step) % p, 8}, from{(comm->rank() + p - step) % p, 8};
    buffers[i] = {comm->rank() * 1000 + static_cast<std::int64_t>(i), -1};
    channels.push_back(comm->open_channel(ChannelKind::neighborhood, std::span(&to, 1),
                                          reinterpret_cast<std::byte*>(&buffers[i][0]), std::span(&from, 1),
                                          reinterpret_cast<std::byte*>(&buffers[i][1])));
  }
  EXPECT_LE(graphs_made - graphs_before, 2);
  for (const auto& channel : channels) channel->start();
  for (const auto& channel : channels) channel->wait();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const int step = i % 2 ? 1 : p - 1;
    EXPECT_EQ(buffers[i][1], ((comm->rank() + p - step) % p) * 1000 + static_cast<std::int64_t>(i));
  }
}

} // namespace
} // namespace atl
