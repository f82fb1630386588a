#include <atoll/comm/agree.hpp>
#include <atoll/comm/halo_exchange.hpp>
#include <atoll/comm/reductions.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include <support/contexts.hpp>

#include <gtest/gtest.h>

#include <optional>

namespace atl {
namespace {

/// Three values on an executor and where their sums go.
struct Values {
  explicit Values(const Context& in) : context(in), device(context.executor, 3) {}

  void set(double first) {
    host[0] = first, host[1] = 1, host[2] = -first;
    context.executor->copy_from_host(host, device.data(), sizeof host);
  }
  [[nodiscard]] SumInFlight start() { return sum.start(*context.comm, *context.executor, device.data(), 3, host); }
  /// Whether both copies are the sums of set(first(rank)).
  void expect(double sum_of_first) {
    const double right[] = {sum_of_first, static_cast<double>(context.size()), -sum_of_first};
    const auto on_device = device.to_host();
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(host[i], right[i]);
      EXPECT_EQ(on_device[i], right[i]);
    }
  }

  Context context;
  Array<double> device;
  double host[3] = {};
  OverlappedSum sum;
};

double sum_of_ranks(const Context& context) { return context.size() * (context.size() - 1) / 2.0; }

/// Rows in a ring: each rank owns one, and has its neighbours' as ghosts.
IndexMapPtr ring(const CommunicatorPtr& comm) {
  const GlobalIndex n = comm->size(), r = comm->rank();
  std::vector<GlobalIndex> ghosts;
  if (n > 1) ghosts = {(r + 1) % n, (r + n - 1) % n};
  return IndexMap::create(comm, 1, std::move(ghosts));
}

/// A halo exchange, and a reduction of another kind, while a sum is under way, over and over.
void check_beside_a_halo_exchange(const Context& context) {
  const IndexMapPtr map = ring(context.comm);
  HaloExchange<double> halo(context, HaloPlan::create(map));
  DVector<double> x(context, map);
  Values values(context);
  for (int round = 0; round < 4; ++round) {
    values.set(context.rank() * (round + 1));
    auto sum = values.start();
    x.set_owned(std::vector<double>{100.0 * round + context.rank()});
    halo.forward(x);
    if (round == 2) {
      EXPECT_EQ(context.comm->all_reduce(std::int64_t{context.rank()}, ReduceOp::max), context.size() - 1);
    }
    sum.finish();
    sum.finish(); // again is allowed
    values.expect(sum_of_ranks(context) * (round + 1));
    std::vector<double> all(static_cast<std::size_t>(x.local_size()));
    context.executor->copy_to_host(x.data(), all.data(), all.size() * sizeof(double));
    for (LocalIndex i = 0; i < map->n_local(); ++i)
      EXPECT_EQ(all[static_cast<std::size_t>(i)], 100.0 * round + static_cast<double>(map->to_global(i)));
  }
}

/// A token that is let go waits for its sum; one that was moved from does not.
void check_tokens(const Context& context) {
  Values values(context);
  values.set(context.rank());
  {
    auto first = values.start();
    const auto second = std::move(first);
  }
  values.expect(sum_of_ranks(context));

  values.set(2.0 * context.rank());
  auto under_way = values.start();
  try {
    (void)values.start();
    ADD_FAILURE() << "two sums of one object";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
  }
  under_way.finish();
  values.expect(2 * sum_of_ranks(context));
}

/// One rank fails beside a sum; all leave with its error, and their communicator goes on working.
void check_failure_beside_the_sum(const Context& context) {
  for (int bad = 0; bad < context.size(); ++bad) {
    Values values(context);
    values.set(context.rank());
    std::string told;
    try {
      auto sum = values.start();
      agree(*context.comm, [&] {
        if (context.rank() == bad) throw Error(ErrorKind::bad_input, "rank " + std::to_string(bad));
      });
      sum.finish();
    } catch (const Error& error) {
      told = error.what();
    }
    EXPECT_EQ(told, "rank " + std::to_string(bad));
    values.expect(sum_of_ranks(context));
    values.set(1);
    values.start().finish();
    values.expect(context.size());
  }
}

void check_all(const CommunicatorPtr& comm) {
  for (const auto& executor : test::executor_names()) {
    const Context context = test::test_context(comm, executor);
    check_beside_a_halo_exchange(context);
    check_tokens(context);
    check_failure_beside_the_sum(context);
  }
}

/// The request of one reduction serves the next, so that nothing is allocated.
void check_requests_are_used_again(Communicator& comm) {
  double value[] = {1};
  RequestPtr request = comm.start_all_reduce(value, ReduceOp::sum);
  const Request* first = request.get();
  for (int round = 1; round < 4; ++round) {
    request->wait();
    EXPECT_EQ(value[0], comm.size());
    value[0] = 1;
    request = comm.start_all_reduce(value, ReduceOp::sum, std::move(request));
    EXPECT_EQ(request.get(), first);
  }
  request->wait();
}

TEST(OverlappedSum, OnOneRank) {
  check_all(make_self_communicator());
  check_requests_are_used_again(*make_self_communicator());
}

TEST(OverlappedSum, OnManyRanksInAnyOrder) {
  for (const int ranks : {1, 2, 3, 8})
    for (std::uint64_t seed = 1; seed <= 6; ++seed)
      run_virtual_cluster(ranks, check_all,
                          {.seed = seed, .in_order = seed == 1, .check_collectives = seed % 2 == 0});
}

TEST(OverlappedSum, IsOneReductionAndUnderWayUntilItIsFinished) {
  const VirtualTraffic all = run_virtual_cluster(5, [](CommunicatorPtr comm) {
    Values values(test::test_context(comm));
    EXPECT_EQ(reductions_under_way(*comm), 0);
    auto sum = values.start();
    EXPECT_EQ(reductions_under_way(*comm), 1);
    comm->barrier(); // all have come, but no rank has waited
    EXPECT_EQ(reductions_under_way(*comm), 1);
    sum.finish();
    EXPECT_EQ(reductions_under_way(*comm), 0);
  });
  EXPECT_EQ(all.reductions, 1);
}

TEST(OverlappedSum, FailureOfOneRankAloneEndsTheRun) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::string told;
    try {
      run_virtual_cluster(4,
                          [](CommunicatorPtr comm) {
                            Values values(test::test_context(comm));
                            auto sum = values.start();
                            if (comm->rank() == 2) throw Error(ErrorKind::bad_input, "rank 2 alone");
                            comm->barrier();
                            sum.finish();
                          },
                          {.seed = seed});
    } catch (const Error& error) {
      told = error.what();
    }
    EXPECT_EQ(told, "rank 2 alone");
  }
}

/// Rank 0 enters a barrier where the others start a sum.
std::string parted_ranks(const CommunicatorPtr& comm) {
  comm->check_collectives(true);
  Values values(test::test_context(comm));
  try {
    if (comm->rank() == 0)
      comm->barrier();
    else
      values.start().finish();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    return error.what();
  }
  return {};
}

void expect_told(const std::string& told) {
  for (const char* part : {"ranks have parted", "barrier", "all_reduce(sum, double)", "overlapped_sum_test.cpp"})
    EXPECT_NE(told.find(part), told.npos) << told;
}

TEST(OverlappedSum, RanksThatPartAreTold) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed)
    run_virtual_cluster(3, [](CommunicatorPtr comm) { expect_told(parted_ranks(comm)); }, {.seed = seed});
}

TEST(OverlappedSum, UnderWayIsOnlyCountedInAVirtualCluster) {
  EXPECT_THROW((void)reductions_under_way(*make_self_communicator()), Error);
}

TEST(MpiOverlappedSum, KeepsEveryPromise) {
  const CommunicatorPtr comm = test::world();
  for (const bool checked : {false, true}) {
    comm->check_collectives(checked);
    check_all(comm);
    check_requests_are_used_again(*comm);
  }
}

TEST(MpiOverlappedSum, RanksThatPartAreTold) {
  const CommunicatorPtr comm = test::world();
  const std::string told = parted_ranks(comm);
  if (comm->size() > 1) expect_told(told);
}

} // namespace
} // namespace atl
