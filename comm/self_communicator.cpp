#include <atoll/comm/collective_call.hpp>
#include <atoll/comm/context.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

namespace atl {
namespace {

// A call of send or receive by the one rank; the call of the other end, when it comes, moves the bytes.
struct SelfCall {
  bool sends;
  int tag;
  std::byte* buffer; // only read where it sends
  std::size_t bytes;
  bool done = false;
};
using SelfCallPtr = std::shared_ptr<SelfCall>;

class SelfRequest final : public Request {
 public:
  SelfRequest(SelfCallPtr call, std::string place) : call_(std::move(call)), place_(std::move(place)) {}
  void wait() override {
    if (!call_->done)
      throw Error(
          ErrorKind::internal,
          fmt::format("the only rank waits for its own message with tag {}, whose other end it has not called",
                      call_->tag),
          place_);
  }

 private:
  SelfCallPtr call_;
  std::string place_;
};

class DoneRequest final : public Request {
 public:
  void wait() override {}
};

// Exchange with itself: the pieces of the send buffer, in order, are those of the receive buffer.
class SelfChannel final : public Channel {
 public:
  SelfChannel(std::size_t bytes, const std::byte* from, std::byte* to) : bytes_(bytes), from_(from), to_(to) {}
  void start() override {
    if (bytes_ > 0) std::memcpy(to_, from_, bytes_);
  }
  void wait() override {}
  bool test() override { return true; }

 private:
  std::size_t bytes_;
  const std::byte* from_;
  std::byte* to_;
};

class SelfCommunicator final : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::string name() const override { return "self"; }
  int next_tag() override { return tag_++ & 0x7fffffff; }
  double seconds() const override {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  void keep(std::shared_ptr<void> thing) override { kept_.push_back(std::move(thing)); }

 private:
  RequestPtr do_send(std::span<const std::byte> bytes, int, int tag, const Where& where) override {
    return meet({true, tag, const_cast<std::byte*>(bytes.data()), bytes.size()}, where);
  }
  RequestPtr do_receive(std::span<std::byte> bytes, int, int tag, const Where& where) override {
    return meet({false, tag, bytes.data(), bytes.size()}, where);
  }
  void do_barrier() override {}
  void do_all_reduce(std::span<double>, ReduceOp) override {}
  void do_all_reduce(std::span<std::int64_t>, ReduceOp) override {}
  RequestPtr do_start_all_reduce(std::span<double>, ReduceOp, RequestPtr spent) override {
    if (dynamic_cast<DoneRequest*>(spent.get())) return spent;
    return std::make_unique<DoneRequest>();
  }
  std::int64_t do_exclusive_sum(std::int64_t) override { return 0; }
  void do_broadcast(std::span<std::byte>, int) override {}
  void do_all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override {
    std::copy(mine.begin(), mine.end(), all.begin());
  }
  std::unique_ptr<Channel> do_open_channel(ChannelKind, std::span<const ChannelPeer> send,
                                           const std::byte* send_buffer, std::span<const ChannelPeer> recv,
                                           std::byte* recv_buffer, int) override {
    const auto same = [](const ChannelPeer& a, const ChannelPeer& b) { return a.bytes == b.bytes; };
    ensure(std::equal(send.begin(), send.end(), recv.begin(), recv.end(), same),
           "a channel of one rank receives what it sends");
    std::size_t bytes = 0;
    for (const ChannelPeer& peer : send) bytes += peer.bytes;
    return std::make_unique<SelfChannel>(bytes, send_buffer, recv_buffer);
  }

  // Joins a call to the first waiting call of the other end, or lets it wait.
  RequestPtr meet(const SelfCall& call, const Where& where) {
    std::erase_if(waiting_, [](const auto& other) { return other.expired(); });
    auto mine = std::make_shared<SelfCall>(call);
    const auto found = std::find_if(waiting_.begin(), waiting_.end(), [&](const auto& waiting) {
      const auto other = waiting.lock();
      return other->tag == call.tag && other->sends != call.sends;
    });
    if (found == waiting_.end()) {
      waiting_.push_back(mine);
    } else {
      move_bytes(*mine, *found->lock(), where);
      waiting_.erase(found);
    }
    return std::make_unique<SelfRequest>(std::move(mine), place_of(where));
  }

  static void move_bytes(SelfCall& mine, SelfCall& other, const Where& where) {
    const SelfCall &from = mine.sends ? mine : other, &to = mine.sends ? other : mine;
    if (from.bytes != to.bytes)
      throw Error(
          ErrorKind::internal,
          fmt::format("a message of {} bytes with tag {} is received as {} bytes", from.bytes, from.tag, to.bytes),
          place_of(where));
    if (from.bytes > 0) std::memmove(to.buffer, from.buffer, from.bytes);
    mine.done = other.done = true;
  }

  std::vector<std::weak_ptr<SelfCall>> waiting_;
  std::vector<std::shared_ptr<void>> kept_;
  unsigned tag_ = 0;
};

} // namespace

CommunicatorPtr make_self_communicator() { return std::make_shared<SelfCommunicator>(); }

Context make_self_context() {
  Context context;
  context.comm = make_self_communicator();
  context.executor = make_host_executor();
  return context;
}

} // namespace atl
