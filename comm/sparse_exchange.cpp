#include <atoll/comm/agree.hpp>
#include <atoll/comm/sparse_exchange.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>

namespace atl {
namespace {

// ---- find_sources

struct Header {
  std::int64_t from, to, count;
};

// The ranks that still share headers, cut in a lower and an upper half; the lower half may have one rank
// more.
struct Fold {
  int low, high;
  int upper() const { return low + (high - low + 1) / 2; }
  bool odd() const { return (high - low) % 2 != 0; }
};

// One message of headers whose number the receiver does not know: first the number, then the headers.
class HeaderMessages {
 public:
  HeaderMessages(Communicator& comm, int tag) : comm_(comm), tag_(tag) {}

  std::vector<Header> run(std::span<const Header> out, std::span<const int> to, std::span<const int> from) {
    std::int64_t out_count = std::ssize(out);
    std::vector<std::int64_t> in_counts(from.size());
    std::vector<RequestPtr> requests;
    for (std::size_t i = 0; i < from.size(); ++i)
      requests.push_back(comm_.receive(std::as_writable_bytes(std::span(&in_counts[i], 1)), from[i], tag_));
    for (const int rank : to) requests.push_back(comm_.send(std::as_bytes(std::span(&out_count, 1)), rank, tag_));
    wait(requests);

    std::int64_t total = 0;
    for (const std::int64_t count : in_counts) total += count;
    std::vector<Header> in(static_cast<std::size_t>(total));
    std::span<Header> rest(in);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto mine = rest.first(static_cast<std::size_t>(in_counts[i]));
      requests.push_back(comm_.receive(std::as_writable_bytes(mine), from[i], tag_));
      rest = rest.subspan(mine.size());
    }
    for (const int rank : to) requests.push_back(comm_.send(std::as_bytes(out), rank, tag_));
    wait(requests);
    return in;
  }

 private:
  static void wait(std::vector<RequestPtr>& requests) {
    for (const RequestPtr& request : requests) request->wait();
    requests.clear();
  }

  Communicator& comm_;
  int tag_;
};

// Partners in a fold: whom this rank sends to, and from whom it receives. Rank i of the lower half works with
// rank i of the upper one; where the lower half has one rank more, that one only sends, to the last of the
// upper half.
struct Partners {
  std::vector<int> to, from;
};

Partners find_partners(const Fold& fold, int rank) {
  const int half = fold.upper() - fold.low;
  if (rank >= fold.upper()) {
    Partners partners{{rank - half}, {rank - half}};
    if (fold.odd() && rank == fold.high - 1) partners.from.push_back(fold.upper() - 1);
    return partners;
  }
  if (fold.odd() && rank == fold.upper() - 1) return {{fold.high - 1}, {}};
  return {{rank + half}, {rank + half}};
}

void require_distinct(Communicator& comm, std::span<const PeerCount> destinations) {
  agree(comm, [&] {
    std::vector<int> ranks;
    for (const PeerCount& peer : destinations) ranks.push_back(peer.rank);
    std::sort(ranks.begin(), ranks.end());
    ensure(std::adjacent_find(ranks.begin(), ranks.end()) == ranks.end(), "destinations are distinct");
    ensure(ranks.empty() || (ranks.front() >= 0 && ranks.back() < comm.size()), "destinations are ranks");
  });
}

} // namespace

std::vector<PeerCount> find_sources(Communicator& comm, std::span<const PeerCount> destinations) {
  require_distinct(comm, destinations);
  std::vector<Header> held;
  for (const PeerCount& peer : destinations) held.push_back({comm.rank(), peer.rank, peer.count});

  HeaderMessages messages(comm, comm.next_tag());
  for (Fold fold{0, comm.size()}; fold.high - fold.low > 1;) {
    const bool in_upper = comm.rank() >= fold.upper();
    const auto leaving = std::partition(
        held.begin(), held.end(), [&](const Header& header) { return (header.to >= fold.upper()) == in_upper; });
    const Partners partners = find_partners(fold, comm.rank());
    const auto arrived = messages.run(std::span<const Header>(leaving, held.end()), partners.to, partners.from);
    held.erase(leaving, held.end());
    held.insert(held.end(), arrived.begin(), arrived.end());
    (in_upper ? fold.low : fold.high) = fold.upper();
  }

  std::vector<PeerCount> sources;
  for (const Header& header : held) sources.push_back({static_cast<int>(header.from), header.count});
  std::sort(sources.begin(), sources.end(), [](const auto& a, const auto& b) { return a.rank < b.rank; });
  return sources;
}

namespace detail {

std::vector<Offset> item_offsets(std::span<const PeerCount> peers) {
  std::vector<Offset> offsets{0};
  for (const PeerCount& peer : peers) offsets.push_back(offsets.back() + peer.count);
  return offsets;
}

} // namespace detail

// ---- BulkExchange

namespace {

constexpr std::size_t message_bytes = std::size_t{1} << 18;   // at most, unless one item is larger
constexpr std::size_t in_flight_bytes = std::size_t{2} << 20; // each way
constexpr std::size_t in_flight_messages = 256;

// A piece of what goes to (or comes from) peer number `peer`. Pieces are handled in the order of `distance`,
// then `first`, on both sides: then the first piece that is still under way is always posted on both sides,
// and windows of any size cannot deadlock.
struct Piece {
  int distance;
  std::size_t peer;
  Offset first, count;
};

// All pieces of one direction, in order, made one by one.
class Pieces {
 public:
  Pieces(std::span<const PeerCount> peers, std::size_t item_bytes, const std::function<int(int)>& distance)
      : peers_(peers),
        most_(static_cast<Offset>(std::max(std::size_t{1}, message_bytes / std::max(std::size_t{1}, item_bytes)))) {
    for (std::size_t p = 0; p < peers.size(); ++p)
      if (peers[p].count > 0) order_.push_back({distance(peers[p].rank), p});
    std::sort(order_.begin(), order_.end());
  }

  bool empty() const { return at_ == order_.size(); }
  Piece front() const {
    const auto [distance, peer] = order_[at_];
    return {distance, peer, first_, std::min(most_, peers_[peer].count - first_)};
  }
  void pop() {
    const Piece piece = front();
    first_ += piece.count;
    if (first_ < peers_[piece.peer].count) return;
    first_ = 0;
    ++at_;
  }

 private:
  std::span<const PeerCount> peers_;
  Offset most_;
  std::vector<std::pair<int, std::size_t>> order_;
  std::size_t at_ = 0;
  Offset first_ = 0;
};

struct Flying {
  Piece piece;
  std::size_t bytes;
  std::unique_ptr<std::byte[]> buffer;
  RequestPtr request;

  std::span<std::byte> data() const { return {buffer.get(), bytes}; }
};

// The messages of one direction under way.
class Window {
 public:
  bool has_room(std::size_t bytes) const {
    return flying_.empty() || (bytes_ + bytes <= in_flight_bytes && flying_.size() < in_flight_messages);
  }
  Flying& add(const Piece& piece, std::size_t bytes) {
    bytes_ += bytes;
    return flying_.emplace_back(Flying{piece, bytes, std::make_unique_for_overwrite<std::byte[]>(bytes), nullptr});
  }
  bool empty() const { return flying_.empty(); }
  const Piece& oldest() const { return flying_.front().piece; }
  Flying take_oldest() {
    flying_.front().request->wait();
    Flying oldest = std::move(flying_.front());
    flying_.pop_front();
    bytes_ -= oldest.bytes;
    return oldest;
  }

 private:
  std::deque<Flying> flying_;
  std::size_t bytes_ = 0;
};

bool before(const Piece& a, const Piece& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.first < b.first;
}

// The first exception of the caller's functions; the messages go on without them.
class FirstFailure {
 public:
  template <class Work>
  void guard(const Work& work) {
    if (first_) return;
    try {
      work();
    } catch (...) {
      first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::exception_ptr first_;
};

} // namespace

BulkExchange::BulkExchange(CommunicatorPtr comm, std::vector<PeerCount> destinations)
    : comm_(std::move(comm)), destinations_(std::move(destinations)), sources_(find_sources(*comm_, destinations_)) {}

BulkExchange::BulkExchange(CommunicatorPtr comm, std::vector<PeerCount> destinations, std::vector<PeerCount> sources)
    : comm_(std::move(comm)), destinations_(std::move(destinations)), sources_(std::move(sources)) {}

BulkExchange BulkExchange::reverse() const { return BulkExchange(comm_, sources_, destinations_); }

Offset BulkExchange::received() const { return detail::item_offsets(sources_).back(); }

void BulkExchange::run(std::size_t item_bytes, const Pack& pack, const Unpack& unpack) {
  const int rank = comm_->rank(), ranks = comm_->size(), tag = comm_->next_tag();
  Pieces out(destinations_, item_bytes, [&](int to) { return (to - rank + ranks) % ranks; });
  Pieces in(sources_, item_bytes, [&](int from) { return (rank - from + ranks) % ranks; });
  const auto bytes_of_piece = [&](const Piece& piece) { return static_cast<std::size_t>(piece.count) * item_bytes; };
  FirstFailure failure;

  // What stays here has distance 0 and comes first on both sides.
  for (std::vector<std::byte> buffer; !out.empty() && out.front().distance == 0; out.pop(), in.pop()) {
    const Piece from = out.front(), to = in.front();
    buffer.resize(bytes_of_piece(from));
    failure.guard([&] { pack(from.peer, from.first, from.count, buffer.data()); });
    failure.guard([&] { unpack(to.peer, to.first, to.count, buffer.data()); });
  }

  Window sends, receives;
  const auto post_receives = [&] {
    for (; !in.empty() && receives.has_room(bytes_of_piece(in.front())); in.pop()) {
      Flying& message = receives.add(in.front(), bytes_of_piece(in.front()));
      message.request = comm_->receive(message.data(), sources_[message.piece.peer].rank, tag);
    }
  };
  const auto post_sends = [&] {
    for (; !out.empty() && sends.has_room(bytes_of_piece(out.front())); out.pop()) {
      Flying& message = sends.add(out.front(), bytes_of_piece(out.front()));
      const Piece& piece = message.piece;
      failure.guard([&] { pack(piece.peer, piece.first, piece.count, message.buffer.get()); });
      message.request = comm_->send(message.data(), destinations_[piece.peer].rank, tag);
    }
  };

  for (post_receives(), post_sends(); !sends.empty() || !receives.empty(); post_receives(), post_sends()) {
    if (receives.empty() || (!sends.empty() && before(sends.oldest(), receives.oldest()))) {
      sends.take_oldest();
    } else {
      const Flying message = receives.take_oldest();
      const Piece& piece = message.piece;
      failure.guard([&] { unpack(piece.peer, piece.first, piece.count, message.buffer.get()); });
    }
  }
  failure.rethrow();
}

} // namespace atl
