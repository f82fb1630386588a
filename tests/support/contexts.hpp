#pragma once
/// Contexts and executors for tests.

#include <atoll/comm/context.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace atl::test {

/// "reference", "host", "guarded": the executors that every test of a backend runs on.
std::vector<std::string> executor_names();
ExecutorPtr make_executor(std::string_view name);
/// Of tests that leave it open: the environment's ATOLL_TEST_EXECUTOR (CMake preset "guarded"), or "reference".
std::string_view default_executor();

/// A context on `comm` with its own executor and a silent observer.
Context test_context(CommunicatorPtr comm, std::string_view executor = default_executor());
Context test_context(CommunicatorPtr comm, ExecutorPtr executor);

/// The communicator of all ranks under mpirun.
CommunicatorPtr world();

} // namespace atl::test
