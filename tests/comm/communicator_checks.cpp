#include "communicator_checks.hpp"

#include <atoll/comm/agree.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace atl::test {
namespace {

std::vector<std::int64_t> ramp(std::int64_t first, std::size_t n) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = first + static_cast<std::int64_t>(i);
  return values;
}

std::span<const std::byte> bytes(const std::vector<std::int64_t>& values) { return std::as_bytes(std::span(values)); }
std::span<std::byte> bytes(std::vector<std::int64_t>& values) { return std::as_writable_bytes(std::span(values)); }

void check_reductions(Communicator& comm) {
  const std::int64_t r = comm.rank(), p = comm.size();
  EXPECT_EQ(comm.all_reduce(r + 1, ReduceOp::sum), p * (p + 1) / 2);
  EXPECT_EQ(comm.all_reduce(r + 1, ReduceOp::min), 1);
  EXPECT_EQ(comm.all_reduce(r + 1, ReduceOp::max), p);
  double values[3] = {1, static_cast<double>(r), -static_cast<double>(r)};
  comm.all_reduce(std::span<double>(values), ReduceOp::sum);
  EXPECT_EQ(values[0], static_cast<double>(p));
  EXPECT_EQ(values[1], static_cast<double>(p * (p - 1) / 2));
  EXPECT_EQ(values[2], -values[1]);
  EXPECT_EQ(comm.all_reduce(static_cast<double>(r), ReduceOp::min), 0);
  EXPECT_EQ(comm.all_reduce(static_cast<double>(r), ReduceOp::max), static_cast<double>(p - 1));
  comm.all_reduce(std::span<double>(), ReduceOp::sum);
}

// Two reductions under way at once, with a third in between.
void check_reductions_beside_work(Communicator& comm) {
  double one[2] = {1, 2}, other[1] = {static_cast<double>(comm.rank())};
  const auto first = comm.start_all_reduce(one, ReduceOp::sum);
  const auto second = comm.start_all_reduce(other, ReduceOp::max);
  EXPECT_EQ(comm.all_reduce(std::int64_t{1}, ReduceOp::sum), comm.size());
  second->wait();
  first->wait();
  first->wait(); // again is allowed
  EXPECT_EQ(one[0], comm.size());
  EXPECT_EQ(one[1], 2 * comm.size());
  EXPECT_EQ(other[0], comm.size() - 1);
}

} // namespace

void check_collectives(Communicator& comm) {
  const std::int64_t r = comm.rank(), p = comm.size();
  comm.barrier();
  check_reductions(comm);
  check_reductions_beside_work(comm);
  EXPECT_EQ(comm.exclusive_sum(r + 1), r * (r + 1) / 2);

  std::vector<std::int64_t> squares;
  for (std::int64_t i = 0; i < p; ++i) squares.push_back(i * i);
  EXPECT_EQ(comm.all_gather(r * r), squares);

  for (int root = 0; root < comm.size(); ++root) {
    std::vector<std::int64_t> values = ramp(comm.rank() * 100, 4);
    comm.broadcast(bytes(values), root);
    EXPECT_EQ(values, ramp(root * 100, 4));
  }
  const int last = comm.size() - 1;
  EXPECT_EQ(comm.broadcast(comm.rank() == last ? std::string("from the last") : std::string(), last),
            "from the last");
  EXPECT_EQ(comm.broadcast(std::string(), 0), "");
  EXPECT_EQ(comm.lowest_rank_where(comm.rank() == last), last);
  EXPECT_EQ(comm.lowest_rank_where(false), comm.size());
}

// Each rank sends to the next two (or to itself), twice with one tag and once with another, waiting in odd
// orders.
void check_messages(Communicator& comm) {
  const int p = comm.size(), tag = comm.next_tag(), other_tag = comm.next_tag();
  EXPECT_NE(tag, other_tag);
  for (const std::size_t n : {std::size_t{0}, std::size_t{3}, std::size_t{20'000}}) {
    for (const int step : {1, 2}) {
      const int to = (comm.rank() + step) % p, from = (comm.rank() + step * (p - 1)) % p;
      const auto first = ramp(comm.rank(), n), second = ramp(1000 + comm.rank(), n), third = ramp(-comm.rank(), 1);
      std::vector<std::int64_t> a(n), b(n), c(1);
      const auto get_c = comm.receive(bytes(c), from, other_tag);
      const auto put_a = comm.send(bytes(first), to, tag);
      const auto get_a = comm.receive(bytes(a), from, tag);
      const auto get_b = comm.receive(bytes(b), from, tag);
      const auto put_b = comm.send(bytes(second), to, tag);
      const auto put_c = comm.send(bytes(third), to, other_tag);
      for (const auto& request : {&get_b, &put_c, &put_b, &get_a, &put_a, &get_c}) (*request)->wait();
      EXPECT_EQ(a, ramp(from, n));
      EXPECT_EQ(b, ramp(1000 + from, n));
      EXPECT_EQ(c[0], -from);
    }
  }
}

// A directed ring with different sizes: rank r sends r + 1 numbers to the next one; the last rank sends
// nothing where there are several, so that some ranks have one side only.
void check_channels(Communicator& comm) {
  const int r = comm.rank(), p = comm.size(), next = (r + 1) % p, before = (r + p - 1) % p;
  const bool sends = r < p - 1 || p == 1, receives = before < p - 1 || p == 1;
  std::vector<std::int64_t> out(sends ? static_cast<std::size_t>(r + 1) : 0);
  std::vector<std::int64_t> in(receives ? static_cast<std::size_t>(before + 1) : 0);
  std::vector<ChannelPeer> to, from;
  if (sends) to.push_back({next, out.size() * sizeof(std::int64_t)});
  if (receives) from.push_back({before, in.size() * sizeof(std::int64_t)});

  for (const ChannelKind kind : {ChannelKind::persistent, ChannelKind::neighborhood}) {
    const auto channel = comm.open_channel(kind, to, bytes(out).data(), from, bytes(in).data());
    channel->wait(); // nothing under way
    for (int round = 0; round < 3; ++round) {
      std::ranges::copy(ramp(10 * r + round, out.size()), out.begin()); // in place: the channel knows the buffer
      channel->start();
      if (round == 1)
        while (!channel->test()) {
        }
      channel->wait();
      EXPECT_EQ(in, ramp(10 * before + round, in.size()));
    }
    EXPECT_TRUE(channel->test());
  }

  const ChannelPeer outside{p, 8};
  EXPECT_THROW(
      (void)comm.open_channel(ChannelKind::persistent, std::span(&outside, r == 0 ? 1 : 0), nullptr, {}, nullptr),
      Error);
}

void check_agreement(Communicator& comm) {
  agree(comm, std::nullopt);
  for (int bad = 0; bad < comm.size(); ++bad) {
    std::string told;
    try {
      agree(comm, [&] {
        if (comm.rank() == bad) throw Error(ErrorKind::bad_input, "rank " + std::to_string(bad), "x.mtx:3");
      });
    } catch (const Error& error) {
      told = error.line();
    }
    EXPECT_EQ(told, "x.mtx:3: rank " + std::to_string(bad));
  }
}

} // namespace atl::test
