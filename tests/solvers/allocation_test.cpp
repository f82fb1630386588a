/// A second solve of the same shape allocates nothing at all: neither in the executor nor from the C++ heap.

#include "problems.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/solvers/precond/jacobi.hpp>

#include <support/contexts.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> heap_allocations{0};
}

// Counts what this executable asks of the heap, the library's calls included.
void* operator new(std::size_t size) {
  ++heap_allocations;
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace atl {
namespace {

using test::System;

double wave(GlobalIndex i) { return std::sin(1.0 + 0.7 * static_cast<double>(i)) + 0.3; }

void check_second_solve(const Context& context, bool singular) {
  constexpr GlobalIndex n = 60;
  SCOPED_TRACE(std::string(context.executor->name()) + (singular ? ", singular" : ", regular"));
  for (const CgVariant variant : {CgVariant::single_reduction, CgVariant::textbook, CgVariant::pipelined}) {
    System<double> s(context, n, singular ? test::neumann_chains(n, 2) : test::poisson1d(), wave);
    const auto space = singular ? NullSpace<double>::find(*s.a) : NullSpace<double>();
    Jacobi<double> m;
    m.setup(*s.a);
    Cg<double> cg(variant);
    const auto first = cg.solve(s.op, m, s.b, s.x, {}, space);
    s.x.fill(0);
    const auto in_executor = context.executor->statistics().allocations;
    const auto on_heap = heap_allocations.load();
    const auto second = cg.solve(s.op, m, s.b, s.x, {}, space);
    // The guarded executor keeps books of its own about every call.
    if (context.executor->name() != "guarded") {
      EXPECT_EQ(heap_allocations.load() - on_heap, 0);
    }
    EXPECT_EQ(context.executor->statistics().allocations, in_executor);
    EXPECT_TRUE(first.converged() && second.converged());
  }
}

TEST(Allocation, CountingWorks) {
  const auto before = heap_allocations.load();
  ::operator delete(::operator new(8));
  EXPECT_EQ(heap_allocations.load() - before, 1);
}

TEST(Allocation, NoneInASecondSolve) {
  for (const auto& name : test::executor_names())
    for (const bool singular : {false, true})
      check_second_solve(test::test_context(make_self_communicator(), name), singular);
}

TEST(MpiAllocation, NoneInASecondSolve) {
  for (const auto& name : test::executor_names())
    for (const bool singular : {false, true}) check_second_solve(test::test_context(test::world(), name), singular);
}

} // namespace
} // namespace atl
