#include <atoll/solvers/registry.hpp>

#include <gtest/gtest.h>

namespace atl {
namespace {

ErrorKind kind_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  ADD_FAILURE() << "no error";
  return ErrorKind::internal;
}

std::string text_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Registry, EveryAvailablePreconditionerIsMadeByItsName) {
  for (const SolverName& name : preconditioner_names()) {
    if (!name.available) {
      EXPECT_EQ(kind_of([&] { (void)make_preconditioner<double>(name.name); }), ErrorKind::environment) << name.name;
    } else if (std::string(name.name) != "auto") {
      EXPECT_EQ(make_preconditioner<double>(name.name)->name(), name.name);
      EXPECT_EQ(make_preconditioner<float>(name.name)->name(), name.name);
    } else {
      EXPECT_NE(make_preconditioner<double>("auto")->name(), "auto");
    }
  }
}

TEST(Registry, UnknownNamesGetTheNearestOne) {
  EXPECT_EQ(kind_of([] { require_method("cgg"); }), ErrorKind::usage);
  EXPECT_EQ(text_of([] { require_method("cgg"); }),
            "unknown method 'cgg'; did you mean 'cg'? This build has auto, cg, cg-textbook, cg-pipelined");
  EXPECT_EQ(text_of([] { require_preconditioner("mystery"); }),
            "unknown preconditioner 'mystery'; this build has auto, none, jacobi");
  EXPECT_EQ(kind_of([] { require_method("gmres"); }), ErrorKind::environment);
  EXPECT_EQ(kind_of([] { (void)make_preconditioner<double>(""); }), ErrorKind::usage);
}

} // namespace
} // namespace atl
