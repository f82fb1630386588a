#include <atoll/comm/virtual_meetings.hpp>
#include <atoll/comm/virtual_messages.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace atl {
namespace {

// What all ranks share. Only the rank that holds the scheduler's baton touches it.
struct Cluster {
  Cluster(int ranks, const VirtualClusterOptions& with)
      : options(with), scheduler(ranks, options.seed, options.in_order), messages(scheduler, options, traffic),
        meetings(scheduler, traffic), under_way(static_cast<std::size_t>(ranks)) {}

  VirtualClusterOptions options;
  VirtualTraffic traffic;
  VirtualScheduler scheduler;
  VirtualMessages messages;
  VirtualMeetings meetings;
  std::map<int, std::vector<std::int64_t>> neighborhood_starts; // by channel, then rank
  std::vector<int> under_way;                                   // reductions by rank

  // An owner that lets go of something under way is at fault, unless an exception made it.
  void tell_dropped(const std::string& what) {
    if (std::uncaught_exceptions() == 0) scheduler.fail(Error(ErrorKind::internal, what));
  }
  void require_equal_starts() const;
};

// A neighbourhood collective is a collective of all ranks, those without neighbours too.
void Cluster::require_equal_starts() const {
  for (const auto& [channel, starts] : neighborhood_starts)
    for (std::size_t r = 1; r < starts.size(); ++r)
      if (starts[r] != starts[0])
        throw Error(ErrorKind::internal,
                    fmt::format("rank 0 started neighborhood channel {} {} times, rank {} {} times", channel,
                                starts[0], r, starts[r]));
}

class MessageRequest final : public Request {
 public:
  MessageRequest(std::shared_ptr<Cluster> cluster, VirtualCallPtr call)
      : cluster_(std::move(cluster)), call_(std::move(call)) {}
  ~MessageRequest() override {
    if (waited_) return;
    cluster_->tell_dropped(
        fmt::format("rank {} dropped the request of a message to or from rank {} ({}) without wait()", call_->rank,
                    call_->peer, call_->place()));
    if (!call_->done) cluster_->messages.drop(call_);
  }
  void wait() override {
    cluster_->scheduler.wait(call_->rank, *call_);
    waited_ = call_->done;
  }

 private:
  std::shared_ptr<Cluster> cluster_;
  VirtualCallPtr call_;
  bool waited_ = false;
};

class MeetingRequest final : public Request {
 public:
  MeetingRequest(std::shared_ptr<Cluster> cluster, int rank, VirtualSeatPtr seat)
      : cluster_(std::move(cluster)), rank_(rank), seat_(std::move(seat)) {
    count(1);
  }
  ~MeetingRequest() override {
    if (waited_) return;
    count(-1);
    seat_->dropped = true;
    cluster_->tell_dropped(fmt::format("rank {} dropped the request of {} without wait()", rank_, seat_->name()));
  }
  void wait() override {
    cluster_->scheduler.wait(rank_, *seat_);
    if (!waited_ && seat_->done) count(-1);
    waited_ = seat_->done;
    if (seat_->error) throw *seat_->error;
  }

 private:
  void count(int change) {
    if (seat_->kind == VirtualSeat::Kind::all_reduce) cluster_->under_way[static_cast<std::size_t>(rank_)] += change;
  }

  std::shared_ptr<Cluster> cluster_;
  int rank_;
  VirtualSeatPtr seat_;
  bool waited_ = false;
};

struct NeverDone final : VirtualEvent {
  std::string text() const override { return "waits for a channel that was told to stall"; }
};

// A channel of either kind: one message a neighbour at each start, apart from all other messages.
class VirtualChannel final : public Channel {
 public:
  VirtualChannel(std::shared_ptr<Cluster> cluster, int rank, ChannelKind kind, std::span<const ChannelPeer> send,
                 const std::byte* send_buffer, std::span<const ChannelPeer> recv, std::byte* recv_buffer, int tag)
      : cluster_(std::move(cluster)), rank_(rank), kind_(kind), tag_(tag) {
    add(recv, false, recv_buffer);
    add(send, true, const_cast<std::byte*>(send_buffer));
    if (kind == ChannelKind::neighborhood)
      cluster_->neighborhood_starts[tag].resize(static_cast<std::size_t>(cluster_->scheduler.ranks()));
  }
  ~VirtualChannel() override {
    if (!active_ || stalls()) return;
    cluster_->tell_dropped(
        fmt::format("rank {} destroyed its {} channel {} while in flight", rank_, to_string(kind_), tag_));
    for (const VirtualCallPtr& call : calls_)
      if (!call->done) cluster_->messages.drop(call);
  }
  void start() override {
    ensure(!active_, "a channel is started once before each wait");
    active_ = true;
    if (kind_ == ChannelKind::neighborhood) ++cluster_->neighborhood_starts[tag_][static_cast<std::size_t>(rank_)];
    cluster_->scheduler.pause(rank_);
    if (stalls()) return;
    for (VirtualCallPtr& call : calls_) {
      call->done = false;
      cluster_->messages.post(call);
    }
  }
  void wait() override {
    if (!active_) return;
    NeverDone never;
    if (stalls()) cluster_->scheduler.wait(rank_, never);
    for (const VirtualCallPtr& call : calls_) cluster_->scheduler.wait(rank_, *call);
    active_ = cluster_->scheduler.failed();
  }
  bool test() override {
    if (!active_) return true;
    cluster_->scheduler.yield(rank_);
    active_ = stalls() || std::any_of(calls_.begin(), calls_.end(), [](const auto& call) { return !call->done; });
    return !active_;
  }

 private:
  bool stalls() const { return has_fault(cluster_->options, kind_, VirtualClusterOptions::Fault::stall); }
  void add(std::span<const ChannelPeer> peers, bool sends, std::byte* buffer) {
    for (const ChannelPeer& peer : peers) {
      const VirtualCallPtr call = calls_.emplace_back(std::make_shared<VirtualCall>());
      call->sends = sends;
      call->rank = rank_;
      call->peer = peer.rank;
      call->tag = tag_;
      call->channel = kind_;
      call->buffer = buffer;
      call->bytes = peer.bytes;
      buffer += peer.bytes;
    }
  }

  std::shared_ptr<Cluster> cluster_;
  int rank_;
  ChannelKind kind_;
  int tag_;
  std::vector<VirtualCallPtr> calls_; // receives, then sends
  bool active_ = false;
};

class VirtualCommunicator final : public Communicator {
 public:
  VirtualCommunicator(std::shared_ptr<Cluster> cluster, int rank) : cluster_(std::move(cluster)), rank_(rank) {
    check_collectives(cluster_->options.check_collectives);
  }
  int rank() const override { return rank_; }
  int size() const override { return cluster_->scheduler.ranks(); }
  std::string name() const override { return "virtual"; }
  int next_tag() override { return tag_++ & 0x7fff; }
  double seconds() const override { return cluster_->scheduler.seconds(); }
  void keep(std::shared_ptr<void> thing) override { kept_.push_back(std::move(thing)); }
  const VirtualTraffic& traffic() const { return cluster_->traffic; }
  int reductions_under_way() const { return cluster_->under_way[static_cast<std::size_t>(rank_)]; }

 private:
  using Kind = VirtualSeat::Kind;

  RequestPtr do_send(std::span<const std::byte> bytes, int to, int tag, const Where& where) override {
    return post(true, to, tag, const_cast<std::byte*>(bytes.data()), bytes.size(), where);
  }
  RequestPtr do_receive(std::span<std::byte> bytes, int from, int tag, const Where& where) override {
    return post(false, from, tag, bytes.data(), bytes.size(), where);
  }
  RequestPtr post(bool sends, int peer, int tag, std::byte* buffer, std::size_t bytes, const Where& where) {
    const auto call = std::make_shared<VirtualCall>();
    call->sends = sends;
    call->rank = rank_;
    call->peer = peer;
    call->tag = tag;
    call->buffer = buffer;
    call->bytes = bytes;
    call->where = where;
    cluster_->scheduler.pause(rank_);
    cluster_->messages.post(call);
    return std::make_unique<MessageRequest>(cluster_, call);
  }

  void do_barrier() override {
    meet(Kind::barrier, [](VirtualSeat&) {})->wait();
  }
  void do_all_reduce(std::span<double> values, ReduceOp op) override { do_start_all_reduce(values, op, {})->wait(); }
  void do_all_reduce(std::span<std::int64_t> values, ReduceOp op) override {
    meet(Kind::all_reduce, [&](VirtualSeat& seat) { seat.integers = values, seat.op = op; })->wait();
  }
  RequestPtr do_start_all_reduce(std::span<double> values, ReduceOp op, RequestPtr) override {
    cluster_->scheduler.pause(rank_);
    return meet(Kind::all_reduce, [&](VirtualSeat& seat) { seat.reals = values, seat.op = op; });
  }
  std::int64_t do_exclusive_sum(std::int64_t value) override {
    meet(Kind::exclusive_sum, [&](VirtualSeat& seat) { seat.integers = std::span(&value, 1); })->wait();
    return value;
  }
  void do_broadcast(std::span<std::byte> bytes, int root) override {
    meet(Kind::broadcast, [&](VirtualSeat& seat) { seat.bytes = bytes, seat.root = root; })->wait();
  }
  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    meet(Kind::all_gather, [&](VirtualSeat& seat) { seat.mine = mine, seat.bytes = all; })->wait();
  }
  // The call travels with the collective that follows.
  void compare_calls(const CollectiveCall& mine) override { call_ = mine; }

  template <class Fill>
  RequestPtr meet(Kind kind, const Fill& fill) {
    const auto seat = std::make_shared<VirtualSeat>();
    seat->kind = kind;
    seat->call = std::exchange(call_, CollectiveCall());
    fill(*seat);
    cluster_->meetings.join(rank_, seat);
    return std::make_unique<MeetingRequest>(cluster_, rank_, seat);
  }

  std::unique_ptr<Channel> do_open_channel(ChannelKind kind, std::span<const ChannelPeer> send,
                                           const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                           std::byte* recv_buffer, int tag) override {
    return std::make_unique<VirtualChannel>(cluster_, rank_, kind, send, send_buffer, recv, recv_buffer, tag);
  }

  std::shared_ptr<Cluster> cluster_;
  int rank_;
  int tag_ = 0;
  CollectiveCall call_;
  std::vector<std::shared_ptr<void>> kept_;
};

} // namespace

VirtualTraffic run_virtual_cluster(int ranks, const std::function<void(CommunicatorPtr)>& body,
                                   const VirtualClusterOptions& options) {
  if (ranks < 1)
    throw Error(ErrorKind::usage, fmt::format("a virtual cluster of {} ranks; at least 1 is needed", ranks));
  const auto cluster = std::make_shared<Cluster>(ranks, options);
  cluster->scheduler.run([&](int rank) { body(std::make_shared<VirtualCommunicator>(cluster, rank)); });
  cluster->messages.require_none_left();
  cluster->require_equal_starts();
  return cluster->traffic;
}

namespace {

const VirtualCommunicator& require_virtual(const Communicator& comm) {
  const auto* mine = dynamic_cast<const VirtualCommunicator*>(&comm);
  if (!mine) throw Error(ErrorKind::usage, "traffic is only counted in a virtual cluster, not by " + comm.name());
  return *mine;
}

} // namespace

VirtualTraffic traffic(const Communicator& comm) { return require_virtual(comm).traffic(); }
int reductions_under_way(const Communicator& comm) { return require_virtual(comm).reductions_under_way(); }

} // namespace atl
