#include <atoll/comm/halo_exchange.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <support/contexts.hpp>
#include <support/random_matrix.hpp>

#include <gtest/gtest.h>

namespace atl {
namespace {

using test::Random;

IndexMapPtr random_map(const CommunicatorPtr& comm, GlobalIndex n, std::uint64_t seed) {
  const auto ranges = test::random_ranges(n, comm->size(), seed);
  Random random(seed * 77 + static_cast<std::uint64_t>(comm->rank()));
  std::vector<GlobalIndex> ghosts;
  for (GlobalIndex i = random.below(n / 2); i > 0; --i) ghosts.push_back(random.below(n));
  return IndexMap::create(comm, ranges[comm->rank() + 1] - ranges[comm->rank()], std::move(ghosts));
}

/// The value that row i, column c holds at its owner in round `round`.
double value_of(GlobalIndex i, LocalIndex c, int round) { return 100.0 * static_cast<double>(i) + 10 * c + round; }

std::vector<double> local_values(const DVector<double>& x) {
  std::vector<double> all(static_cast<std::size_t>(x.local_size()));
  if (!all.empty()) x.executor()->copy_to_host(x.data(), all.data(), all.size() * sizeof(double));
  return all;
}

void check_forward(const Context& context, std::uint64_t seed) {
  const IndexMapPtr map = random_map(context.comm, 40, seed);
  HaloExchange<double> halo(context, HaloPlan::create(map));
  for (int round = 0; round < 3; ++round) {
    for (LocalIndex columns : {1, 3}) {
      DVector<double> x(context, map, columns);
      std::vector<double> owned;
      for (LocalIndex i = 0; i < map->n_owned(); ++i)
        for (LocalIndex c = 0; c < columns; ++c) owned.push_back(value_of(map->to_global(i), c, round));
      x.set_owned(owned);
      halo.forward(x);
      const auto all = local_values(x);
      for (LocalIndex i = 0; i < map->n_local(); ++i)
        for (LocalIndex c = 0; c < columns; ++c)
          EXPECT_EQ(all[i * columns + c], value_of(map->to_global(i), c, round));
    }
  }
}

void check_reverse(const Context& context, std::uint64_t seed) {
  const IndexMapPtr map = random_map(context.comm, 40, seed);
  HaloExchange<double> halo(context, HaloPlan::create(map));
  // Every rank puts 1 on each of its ghosts and 0 on what it owns: owners count the ranks that have them as
  // ghosts.
  DVector<double> x(context, map);
  std::vector<double> ones(static_cast<std::size_t>(map->n_ghosts()), 1.0);
  if (!ones.empty()) context.executor->copy_from_host(ones.data(), x.ghosts(), ones.size() * sizeof(double));
  halo.reverse(x);
  std::vector<double> holders(static_cast<std::size_t>(map->global_size()), 0);
  for (const GlobalIndex g : map->ghosts()) holders[g] += 1;
  context.comm->all_reduce(std::span(holders), ReduceOp::sum);
  const auto owned = x.owned_to_host();
  for (LocalIndex i = 0; i < map->n_owned(); ++i) EXPECT_EQ(owned[i], holders[map->to_global(i)]);
}

TEST(HaloExchange, ForwardAndReverseOnEveryExecutorAndManyRanks) {
  for (const auto& executor : test::executor_names())
    for (int ranks : {1, 2, 3, 8})
      for (std::uint64_t seed = 1; seed <= 4; ++seed)
        for (ChannelKind kind : {ChannelKind::persistent, ChannelKind::neighborhood})
          run_virtual_cluster(ranks,
                              [&](CommunicatorPtr comm) {
                                Context context = test::test_context(comm, executor);
                                context.channel_kind = kind;
                                check_forward(context, seed);
                                check_reverse(context, seed);
                              },
                              {.seed = seed});
}

TEST(HaloExchange, OneMessageANeighbourWhateverTheColumns) {
  run_virtual_cluster(4, [](CommunicatorPtr comm) {
    const Context context = test::test_context(comm);
    // A ring of 4 ranks with 10 rows each; every rank has one ghost on either side.
    const GlobalIndex begin = comm->rank() * 10;
    const auto map = IndexMap::create(comm, 10, {(begin + 10) % 40, (begin + 39) % 40});
    HaloExchange<double> halo(context, HaloPlan::create(map));
    DVector<double> x(context, map, 5);
    halo.forward(x); // opens the channels
    comm->barrier();
    const auto before = traffic(*comm);
    comm->barrier();
    halo.forward(x);
    comm->barrier();
    const auto after = traffic(*comm);
    EXPECT_EQ(after.messages - before.messages, 8);
    EXPECT_EQ(after.bytes - before.bytes, 8 * 5 * 8);
    EXPECT_EQ(after.reductions, before.reductions);
    comm->barrier();
  });
}

TEST(HaloExchange, SecondStartBeforeTheEndIsAnError) {
  const Context context = test::test_context(make_self_communicator());
  const auto map = IndexMap::create(context.comm, 5);
  HaloExchange<double> halo(context, HaloPlan::create(map));
  DVector<double> x(context, map);
  auto flight = halo.start_forward(x);
  EXPECT_THROW((void)halo.start_forward(x), Error);
  flight.finish();
  halo.forward(x);
}

TEST(HaloExchange, TwoExchangesInFlightDoNotMix) {
  run_virtual_cluster(3, [](CommunicatorPtr comm) {
    const Context context = test::test_context(comm);
    const GlobalIndex begin = comm->rank() * 4;
    const auto map = IndexMap::create(comm, 4, {(begin + 4) % 12, (begin + 11) % 12});
    HaloExchange<double> one(context, HaloPlan::create(map)), other(context, HaloPlan::create(map));
    DVector<double> x(context, map), y(context, map);
    x.fill(1 + comm->rank());
    y.fill(101 + comm->rank());
    // Ranks start the two in different orders.
    if (comm->rank() % 2) {
      auto first = one.start_forward(x);
      auto second = other.start_forward(y);
      second.finish();
      first.finish();
    } else {
      auto first = other.start_forward(y);
      auto second = one.start_forward(x);
      second.finish();
      first.finish();
    }
    const auto ghosts_of = [&](DVector<double>& v) {
      std::vector<double> host(static_cast<std::size_t>(map->n_ghosts()));
      context.executor->copy_to_host(v.ghosts(), host.data(), host.size() * sizeof(double));
      return host;
    };
    const auto ghosts_of_x = ghosts_of(x), ghosts_of_y = ghosts_of(y);
    for (std::size_t g = 0; g < ghosts_of_x.size(); ++g) {
      EXPECT_EQ(ghosts_of_x[g], 1.0 + static_cast<double>(map->ghosts()[g] / 4));
      EXPECT_EQ(ghosts_of_y[g], 101.0 + static_cast<double>(map->ghosts()[g] / 4));
    }
  });
}

TEST(MpiHaloExchange, ForwardAndReverse) {
  for (const auto& executor : test::executor_names())
    for (ChannelKind kind : {ChannelKind::persistent, ChannelKind::neighborhood}) {
      Context context = test::test_context(test::world(), executor);
      context.channel_kind = kind;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        check_forward(context, seed);
        check_reverse(context, seed);
      }
    }
}

} // namespace
} // namespace atl
