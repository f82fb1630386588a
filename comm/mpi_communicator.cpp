#include <atoll/comm/mpi_channel.hpp>

#include <dlfcn.h>
#include <link.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t most_at_once = std::numeric_limits<int>::max() / 16;

MPI_Op to_mpi(ReduceOp op) {
  switch (op) {
  case ReduceOp::sum:
    return MPI_SUM;
  case ReduceOp::min:
    return MPI_MIN;
  case ReduceOp::max:
    return MPI_MAX;
  }
  return MPI_OP_NULL;
}

// A request that is dropped, which only happens when an exception ends the work, leaves nothing that writes.
class MpiRequest final : public Request {
 public:
  explicit MpiRequest(int expected_bytes) : expected_bytes_(expected_bytes) {}
  ~MpiRequest() override {
    if (request == MPI_REQUEST_NULL || !mpi_usable()) return;
    if (expected_bytes_ >= 0) MPI_Cancel(&request);
    if (may_free) MPI_Request_free(&request);
  }
  void wait() override {
    if (request == MPI_REQUEST_NULL) return;
    MPI_Status status;
    require_mpi(MPI_Wait(&request, &status), "MPI_Wait");
    if (expected_bytes_ < 0) return;
    int received = 0;
    require_mpi(MPI_Get_count(&status, MPI_BYTE, &received), "MPI_Get_count");
    if (received != expected_bytes_)
      throw Error(ErrorKind::internal, fmt::format("rank {} sends {} bytes with tag {}, but {} are received",
                                                   status.MPI_SOURCE, received, status.MPI_TAG, expected_bytes_));
  }

  MPI_Request request = MPI_REQUEST_NULL;
  bool may_free = true; // MPI forbids it for collectives

 private:
  int expected_bytes_; // of a receive; -1 for all others
};

class MpiCommunicator final : public Communicator {
 public:
  explicit MpiCommunicator(MpiDuplicatePtr duplicate) : duplicate_(std::move(duplicate)) {}
  int rank() const override { return duplicate_->rank(); }
  int size() const override { return duplicate_->size(); }
  std::string name() const override { return "mpi"; }
  int next_tag() override { return duplicate_->next_tag(); }
  double seconds() const override { return MPI_Wtime(); }
  void keep(std::shared_ptr<void> thing) override { duplicate_->keep(std::move(thing)); }
  MPI_Comm handle() const { return duplicate_->comm(); }

 private:
  RequestPtr do_send(std::span<const std::byte> bytes, int to, int tag, const Where&) override {
    auto made = std::make_unique<MpiRequest>(-1);
    require_mpi(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, tag, handle(), &made->request),
                "MPI_Isend");
    return made;
  }
  RequestPtr do_receive(std::span<std::byte> bytes, int from, int tag, const Where&) override {
    const int count = static_cast<int>(bytes.size());
    auto made = std::make_unique<MpiRequest>(count);
    require_mpi(MPI_Irecv(bytes.data(), count, MPI_BYTE, from, tag, handle(), &made->request), "MPI_Irecv");
    return made;
  }
  void do_barrier() override { require_mpi(MPI_Barrier(handle()), "MPI_Barrier"); }
  void do_all_reduce(std::span<double> values, ReduceOp op) override { reduce(values, MPI_DOUBLE, op); }
  void do_all_reduce(std::span<std::int64_t> values, ReduceOp op) override { reduce(values, MPI_INT64_T, op); }
  RequestPtr do_start_all_reduce(std::span<double> values, ReduceOp op, RequestPtr spent) override {
    auto* used = dynamic_cast<MpiRequest*>(spent.get());
    if (!used || used->may_free) {
      spent = std::make_unique<MpiRequest>(-1);
      used = static_cast<MpiRequest*>(spent.get());
      used->may_free = false;
    }
    ensure(used->request == MPI_REQUEST_NULL, "a request is used again only after wait()");
    require_mpi(MPI_Iallreduce(MPI_IN_PLACE, values.data(), narrow<int>(values.size()), MPI_DOUBLE, to_mpi(op),
                               handle(), &used->request),
                "MPI_Iallreduce");
    return spent;
  }
  std::int64_t do_exclusive_sum(std::int64_t value) override {
    std::int64_t before = 0; // MPI leaves rank 0's undefined
    require_mpi(MPI_Exscan(&value, &before, 1, MPI_INT64_T, MPI_SUM, handle()), "MPI_Exscan");
    return rank() == 0 ? 0 : before;
  }
  void do_broadcast(std::span<std::byte> bytes, int root) override {
    while (!bytes.empty()) {
      const auto piece = bytes.first(std::min(bytes.size(), most_at_once));
      require_mpi(MPI_Bcast(piece.data(), static_cast<int>(piece.size()), MPI_BYTE, root, handle()), "MPI_Bcast");
      bytes = bytes.subspan(piece.size());
    }
  }
  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    const int count = narrow<int>(mine.size());
    require_mpi(MPI_Allgather(mine.data(), count, MPI_BYTE, all.data(), count, MPI_BYTE, handle()), "MPI_Allgather");
  }
  std::unique_ptr<Channel> do_open_channel(ChannelKind kind, std::span<const ChannelPeer> send,
                                           const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                           std::byte* recv_buffer, int tag) override {
    return open_mpi_channel(duplicate_, kind, send, send_buffer, recv, recv_buffer, tag);
  }

  template <class T>
  void reduce(std::span<T> values, MPI_Datatype type, ReduceOp op) {
    while (!values.empty()) {
      const auto piece = values.first(std::min(values.size(), most_at_once));
      require_mpi(
          MPI_Allreduce(MPI_IN_PLACE, piece.data(), static_cast<int>(piece.size()), type, to_mpi(op), handle()),
          "MPI_Allreduce");
      values = values.subspan(piece.size());
    }
  }

  MpiDuplicatePtr duplicate_;
};

// Keeps every shared object mapped until the process ends. MPI_Finalize of Open MPI 4.1 unloads its modules while a
// thread of its own, in a process that was started without mpirun, may be on its way into one of them: now and then
// such a run ended with a segmentation fault after all its work was done.
void keep_modules_mapped() {
  std::vector<std::string> names;
  const auto remember = [](dl_phdr_info* info, std::size_t, void* list) {
    if (info->dlpi_name && *info->dlpi_name)
      static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
    return 0;
  };
  dl_iterate_phdr(remember, &names);
  for (const std::string& name : names) (void)dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

bool initialized() {
  int yes = 0;
  MPI_Initialized(&yes);
  return yes != 0;
}

} // namespace

MpiSession::MpiSession(int* argc, char*** argv) : owner_(!initialized()) {
  int provided = 0;
  if (owner_) require_mpi(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
}

MpiSession::~MpiSession() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  if (!owner_ || finalized) return;
  keep_modules_mapped();
  MPI_Finalize();
}

CommunicatorPtr make_mpi_communicator(MPI_Comm comm) {
  return std::make_shared<MpiCommunicator>(MpiDuplicate::of(comm));
}

MPI_Comm native_handle(const Communicator& comm) {
  if (const auto* mpi = dynamic_cast<const MpiCommunicator*>(&comm)) return mpi->handle();
  return comm.name() == "self" && mpi_usable() ? MPI_COMM_SELF : MPI_COMM_NULL;
}

} // namespace atl
