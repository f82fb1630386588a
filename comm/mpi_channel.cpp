#include <atoll/comm/mpi_channel.hpp>

namespace atl {
namespace {

// MPI_Send_init and MPI_Recv_init, one request a neighbour.
class PersistentChannel final : public Channel {
 public:
  PersistentChannel(MpiDuplicatePtr duplicate, std::span<const ChannelPeer> send, const std::byte* send_buffer,
                    std::span<const ChannelPeer> recv, std::byte* recv_buffer, int tag)
      : duplicate_(std::move(duplicate)), receives_(recv.size()) {
    for (const ChannelPeer& peer : recv) {
      require_mpi(MPI_Recv_init(recv_buffer, static_cast<int>(peer.bytes), MPI_BYTE, peer.rank, tag,
                                duplicate_->comm(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Recv_init");
      recv_buffer += peer.bytes;
    }
    for (const ChannelPeer& peer : send) {
      require_mpi(MPI_Send_init(send_buffer, static_cast<int>(peer.bytes), MPI_BYTE, peer.rank, tag,
                                duplicate_->comm(), &requests_.emplace_back(MPI_REQUEST_NULL)),
                  "MPI_Send_init");
      send_buffer += peer.bytes;
    }
  }
  ~PersistentChannel() override {
    if (!mpi_usable()) return;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (active_ && i < receives_) MPI_Cancel(&requests_[i]);
      MPI_Request_free(&requests_[i]);
    }
  }
  void start() override {
    ensure(!active_, "a channel is started once before each wait");
    duplicate_->comm(); // throws where it is gone
    if (!requests_.empty()) require_mpi(MPI_Startall(count(), requests_.data()), "MPI_Startall");
    active_ = true;
  }
  void wait() override {
    if (active_) require_mpi(MPI_Waitall(count(), requests_.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
    active_ = false;
  }
  bool test() override {
    int done = 1;
    if (active_) require_mpi(MPI_Testall(count(), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
    if (done) active_ = false;
    return done != 0;
  }

 private:
  int count() const { return static_cast<int>(requests_.size()); }

  MpiDuplicatePtr duplicate_;
  std::vector<MPI_Request> requests_; // receives, then sends
  std::size_t receives_;
  bool active_ = false;
};

// One side of a neighbourhood collective.
struct Side {
  std::vector<int> ranks, counts, offsets;

  explicit Side(std::span<const ChannelPeer> peers) {
    int offset = 0;
    for (const ChannelPeer& peer : peers) {
      ranks.push_back(peer.rank);
      counts.push_back(static_cast<int>(peer.bytes));
      offsets.push_back(offset);
      offset += counts.back();
    }
    // Valid pointers for ranks without neighbours.
    counts.push_back(0);
    offsets.push_back(0);
  }
};

// MPI_Ineighbor_alltoallv on a graph communicator. All ranks start it, those without neighbours too.
class NeighborhoodChannel final : public Channel {
 public:
  NeighborhoodChannel(MpiDuplicatePtr duplicate, std::span<const ChannelPeer> send, const std::byte* send_buffer,
                      std::span<const ChannelPeer> recv, std::byte* recv_buffer)
      : duplicate_(std::move(duplicate)), send_(send), recv_(recv), send_buffer_(send_buffer),
        recv_buffer_(recv_buffer), graph_(duplicate_->graph(recv_.ranks, send_.ranks)) {}
  void start() override {
    ensure(request_ == MPI_REQUEST_NULL, "a channel is started once before each wait");
    duplicate_->comm(); // throws where it is gone
    require_mpi(MPI_Ineighbor_alltoallv(send_buffer_, send_.counts.data(), send_.offsets.data(), MPI_BYTE,
                                        recv_buffer_, recv_.counts.data(), recv_.offsets.data(), MPI_BYTE, graph_,
                                        &request_),
                "MPI_Ineighbor_alltoallv");
  }
  void wait() override { require_mpi(MPI_Wait(&request_, MPI_STATUS_IGNORE), "MPI_Wait"); }
  bool test() override {
    int done = 0;
    require_mpi(MPI_Test(&request_, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

 private:
  MpiDuplicatePtr duplicate_;
  Side send_, recv_;
  const std::byte* send_buffer_;
  std::byte* recv_buffer_;
  MPI_Comm graph_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

} // namespace

std::unique_ptr<Channel> open_mpi_channel(MpiDuplicatePtr duplicate, ChannelKind kind,
                                          std::span<const ChannelPeer> send, const std::byte* send_buffer,
                                          std::span<const ChannelPeer> recv, std::byte* recv_buffer, int tag) {
  if (kind == ChannelKind::persistent)
    return std::make_unique<PersistentChannel>(std::move(duplicate), send, send_buffer, recv, recv_buffer, tag);
  return std::make_unique<NeighborhoodChannel>(std::move(duplicate), send, send_buffer, recv, recv_buffer);
}

} // namespace atl
