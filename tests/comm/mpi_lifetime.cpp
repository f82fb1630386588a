// MPI begins and ends outside: objects may be made only in between, and may go after the end without a call of MPI.
#include <atoll/comm/mpi_communicator.hpp>

#include <cstdio>
#include <cstdlib>

namespace {

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "not true: %s\n", what);
  std::exit(EXIT_FAILURE);
}

bool refuses_world() {
  try {
    (void)atl::make_mpi_communicator(MPI_COMM_WORLD);
  } catch (const atl::Error& error) {
    return error.kind() == atl::ErrorKind::usage;
  }
  return false;
}

struct Ring {
  std::int64_t out = 4, in = 0;
  std::unique_ptr<atl::Channel> channel;

  Ring(atl::Communicator& comm, atl::ChannelKind kind) {
    const int p = comm.size();
    const atl::ChannelPeer to{(comm.rank() + 1) % p, 8}, from{(comm.rank() + p - 1) % p, 8};
    channel = comm.open_channel(kind, std::span(&to, 1), reinterpret_cast<std::byte*>(&out), std::span(&from, 1),
                                reinterpret_cast<std::byte*>(&in));
    channel->start();
    channel->wait();
  }
};

} // namespace

int main(int argc, char** argv) {
  require(refuses_world(), "no MPI communicator before MPI_Init");
  require(atl::native_handle(*atl::make_self_communicator()) == MPI_COMM_NULL, "no MPI handle before MPI_Init");

  MPI_Init(&argc, &argv);
  { const atl::MpiSession session(&argc, &argv); }
  int finalized = 0;
  MPI_Finalized(&finalized);
  require(!finalized, "a session leaves alone the MPI that others began");

  const auto comm = atl::make_mpi_communicator(MPI_COMM_WORLD);
  const auto self = atl::make_mpi_communicator(MPI_COMM_SELF);
  MPI_Comm never_freed;
  MPI_Comm_dup(MPI_COMM_WORLD, &never_freed);
  const auto careless = atl::make_mpi_communicator(never_freed);
  const Ring persistent(*comm, atl::ChannelKind::persistent), neighborhood(*comm, atl::ChannelKind::neighborhood);
  const Ring other(*careless, atl::ChannelKind::neighborhood), alone(*self, atl::ChannelKind::persistent);
  require(persistent.in == 4 && neighborhood.in == 4 && other.in == 4 && alone.in == 4, "channels work");
  MPI_Finalize();

  require(refuses_world(), "no MPI communicator after MPI_Finalize");
  require(atl::native_handle(*atl::make_self_communicator()) == MPI_COMM_NULL, "no MPI handle after MPI_Finalize");
  bool refused = false;
  try {
    comm->barrier();
  } catch (const atl::Error&) {
    refused = true;
  }
  require(refused, "no collective after MPI_Finalize");
  return EXIT_SUCCESS; // communicators and channels go now
}
