#include "support/contexts.hpp"

#include <atoll/comm/mpi_communicator.hpp>

#include <cstdlib>

#include <cstdlib>

namespace atl::test {

std::vector<std::string> executor_names() { return {"reference", "host", "guarded"}; }

ExecutorPtr make_executor(std::string_view name) {
  if (name == "reference") return make_reference_executor();
  if (name == "host") return make_host_executor(2);
  if (name == "guarded") return make_guarded_executor();
  throw Error(ErrorKind::usage, "no executor is called " + std::string(name));
}

std::string_view default_executor() {
  const char* name = std::getenv("ATOLL_TEST_EXECUTOR");
  return name && *name ? name : "reference";
}

std::string default_executor_name() {
  const char* name = std::getenv("ATOLL_TEST_EXECUTOR");
  return name && *name ? name : "reference";
}

Context test_context(CommunicatorPtr comm) { return test_context(std::move(comm), default_executor_name()); }

Context test_context(CommunicatorPtr comm, std::string_view executor) {
  return test_context(std::move(comm), make_executor(executor));
}

Context test_context(CommunicatorPtr comm, ExecutorPtr executor) {
  Context context;
  context.comm = std::move(comm);
  context.executor = std::move(executor);
  return context;
}

CommunicatorPtr world() { return make_mpi_communicator(MPI_COMM_WORLD); }

} // namespace atl::test
