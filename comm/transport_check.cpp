#include <atoll/comm/agree.hpp>
#include <atoll/comm/transport_check.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <thread>

namespace atl {
namespace {

constexpr std::size_t sizes[] = {1, 1000, 70'000}; // the last is past the eager limit of usual MPI transports
constexpr int rounds = 2;

// Both neighbours in the ring of ranks; itself alone on one rank.
std::vector<int> ring_neighbours(const Communicator& comm) {
  const int left = (comm.rank() + comm.size() - 1) % comm.size(), right = (comm.rank() + 1) % comm.size();
  return left == right ? std::vector{left} : std::vector{left, right};
}

// The bytes that `from` sends to `to` in a round: a generator that knows all three (Lehmer's, with the
// multiplier of Park and Miller).
void fill_pattern(int from, int to, int round, std::span<std::byte> out) {
  std::uint64_t state = (static_cast<std::uint64_t>(from) * 31 + static_cast<std::uint64_t>(to)) * 7 +
                        static_cast<std::uint64_t>(round) + 1;
  for (std::byte& byte : out) {
    state = state * 48271 % 2147483647;
    byte = static_cast<std::byte>(state >> 8);
  }
}

// A channel to the ring neighbours and its buffers. Shared, so that a stalled one can be kept where late
// messages may still write.
class RingExchange {
 public:
  RingExchange(Communicator& comm, ChannelKind kind, std::size_t bytes)
      : rank_(comm.rank()), bytes_(bytes), neighbours_(ring_neighbours(comm)), out_(neighbours_.size() * bytes),
        in_(neighbours_.size() * bytes) {
    std::vector<ChannelPeer> peers;
    for (const int rank : neighbours_) peers.push_back({rank, bytes});
    channel_ = comm.open_channel(kind, peers, out_.data(), peers, in_.data());
  }

  void start(int round) {
    for (std::size_t n = 0; n < neighbours_.size(); ++n)
      fill_pattern(rank_, neighbours_[n], round, std::span(out_).subspan(n * bytes_, bytes_));
    std::fill(in_.begin(), in_.end(), std::byte{0});
    channel_->start();
  }

  bool finishes_within(Communicator& comm, double seconds) {
    for (const double begin = comm.seconds(); !channel_->test(); std::this_thread::yield())
      if (comm.seconds() - begin > seconds) return false;
    return true;
  }

  std::optional<std::string> find_wrong_bytes(int round) const {
    std::vector<std::byte> expected(bytes_);
    for (std::size_t n = 0; n < neighbours_.size(); ++n) {
      fill_pattern(neighbours_[n], rank_, round, expected);
      const auto received = std::span(in_).subspan(n * bytes_, bytes_);
      const auto wrong = std::mismatch(received.begin(), received.end(), expected.begin()).first - received.begin();
      if (wrong < std::ssize(received))
        return fmt::format("byte {} of {} from rank {} arrived wrong on rank {}", wrong, bytes_, neighbours_[n],
                           rank_);
    }
    return std::nullopt;
  }

 private:
  int rank_;
  std::size_t bytes_;
  std::vector<int> neighbours_;
  std::vector<std::byte> out_, in_;
  std::unique_ptr<Channel> channel_; // goes before the buffers
};

// What is wrong on this rank with one exchange.
std::optional<std::string> try_round(Communicator& comm, const std::shared_ptr<RingExchange>& ring, int round,
                                     double watchdog_seconds) {
  ring->start(round);
  if (ring->finishes_within(comm, watchdog_seconds)) return ring->find_wrong_bytes(round);
  comm.keep(ring);
  return fmt::format("an exchange with the ring neighbours of rank {} did not finish within {} s", comm.rank(),
                     watchdog_seconds);
}

// What is wrong with a kind on the lowest rank that finds fault; empty where it works. The same on all ranks.
std::string find_fault(Communicator& comm, ChannelKind kind, double watchdog_seconds) {
  for (const std::size_t bytes : sizes) {
    const auto ring = std::make_shared<RingExchange>(comm, kind, bytes);
    for (int round = 0; round < rounds; ++round) {
      const auto mine = try_round(comm, ring, round, watchdog_seconds);
      const int failed = comm.lowest_rank_where(mine.has_value());
      if (failed < comm.size()) return comm.broadcast(mine.value_or(""), failed);
    }
  }
  return {};
}

} // namespace

TransportChoice prove_transport(Communicator& comm, double watchdog_seconds) {
  std::string faults;
  for (const ChannelKind kind : {ChannelKind::persistent, ChannelKind::neighborhood}) {
    const std::string fault = find_fault(comm, kind, watchdog_seconds);
    if (fault.empty())
      return {kind, fmt::format("{} messages carried known bytes around the ring of ranks{}{}", to_string(kind),
                                faults.empty() ? "" : "; not used: ", faults)};
    faults += fmt::format("{}{}: {}", faults.empty() ? "" : "; ", to_string(kind), fault);
  }
  throw Error(ErrorKind::environment, "no way to exchange data between the ranks works (" + faults +
                                          "): check the MPI installation, or try another transport (with Open MPI, "
                                          "OMPI_MCA_pml=ob1)");
}

} // namespace atl
