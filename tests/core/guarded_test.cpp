#include "executors.hpp"

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <sys/wait.h>

namespace atl::test {
namespace {

class Guarded : public testing::Test {
 protected:
  ExecutorPtr executor = make_guarded_executor();
  Kernels<double>& kernels = executor->kernels<double>();

  /// The text of the Error{internal} that the action must throw.
  template <class Action>
  static std::string refusal(const Action& action) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      return error.what();
    }
    return "nothing was thrown";
  }
};

void expect_contains(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

/// Killed by SIGSEGV, or ended by a sanitizer that reports one.
bool trapped(int status) { return WIFSIGNALED(status) ? WTERMSIG(status) == SIGSEGV : WEXITSTATUS(status) != 0; }

using GuardedDeathTest = Guarded;

TEST_F(GuardedDeathTest, ReadingFromTheHostIsTrapped) {
  const auto a = put(executor, std::vector<double>{1, 2});
  EXPECT_EXIT(
      {
        const volatile double* p = a.data();
        std::_Exit(*p == 1 ? 0 : 0);
      },
      trapped, "");
}

TEST_F(GuardedDeathTest, WritingFromTheHostIsTrapped) {
  auto a = put(executor, std::vector<double>{1, 2});
  EXPECT_EXIT(
      {
        *a.data() = 3;
        std::_Exit(0);
      },
      trapped, "");
}

TEST_F(GuardedDeathTest, MemoryIsClosedAgainAfterKernelsAndErrors) {
  auto a = put(executor, std::vector<double>{1, 2});
  std::vector<double> host(2);
  kernels.fill(2, 5.0, a.data());
  EXPECT_THROW(kernels.copy(2, a.data(), host.data()), Error);
  EXPECT_EXIT(
      {
        *a.data() = 3;
        std::_Exit(0);
      },
      trapped, "");
}

TEST_F(Guarded, KernelsRefuseMemoryOfTheHost) {
  const auto x = put(executor, std::vector<double>{1, 2});
  const auto alpha = put(executor, std::vector<double>{1});
  std::vector<double> y(2);
  expect_contains(refusal([&] { kernels.axpy(2, alpha.data(), x.data(), y.data()); }), {"'axpy'", "'y'", "host"});
  expect_contains(refusal([&] { kernels.fill(2, 1.0, nullptr); }), {"'fill'", "'y'", "null"});
}

TEST_F(Guarded, KernelsRefuseMoreThanAnArrayHolds) {
  auto x = put(executor, std::vector<double>{1, 2});
  expect_contains(refusal([&] { kernels.fill(3, 1.0, x.data()); }), {"24 bytes", "after 16"});
  expect_contains(refusal([&] { kernels.fill(2, 1.0, x.data() + 1); }), {"16 bytes", "after 8"});
  EXPECT_EQ(x.to_host(), (std::vector<double>{1, 2})) << "nothing was written";
}

TEST_F(Guarded, KernelsRefuseFreedMemory) {
  const double* gone = nullptr;
  {
    const Array<double> x(executor, 4);
    gone = x.data();
  }
  auto y = put(executor, std::vector<float>{1});
  expect_contains(refusal([&] { kernels.copy(2, gone + 2, const_cast<double*>(gone)); }), {"'copy'", "'x'"});
}

TEST_F(Guarded, KernelsRefuseIndicesOutsideTheirVector) {
  const auto x = put(executor, std::vector<double>{1, 2, 3});
  Array<double> buffer(executor, 2);
  const auto beyond = put(executor, std::vector<LocalIndex>{0, 3});
  const auto negative = put(executor, std::vector<LocalIndex>{0, -1});
  expect_contains(refusal([&] { kernels.gather(2, beyond.data(), 1, x.data(), buffer.data()); }), {"gather", "'x'"});
  expect_contains(refusal([&] { kernels.gather(2, negative.data(), 1, x.data(), buffer.data()); }), {"negative"});
}

TEST_F(Guarded, ProductsRefuseColumnsOutsideTheMatrix) {
  const HostCsr<double> wrong{1, 2, {0, 1}, {2}, {1.0}, {}};
  const auto a = wrong.on(executor);
  const Array<double> x(executor, 2);
  Array<double> y(executor, 1);
  expect_contains(refusal([&] { kernels.csr_multiply(a.view(), 0, 1, 1, x.data(), y.data()); }),
                  {"csr_multiply", "2 columns", "column 2"});
}

TEST_F(Guarded, CopiesRefuseTheWrongSide) {
  Array<double> a(executor, 2), b(executor, 2);
  std::vector<double> host(2), other(2);
  expect_contains(refusal([&] { executor->copy_from_host(a.data(), b.data(), 16); }), {"copy_from_host", "'host'"});
  expect_contains(refusal([&] { executor->copy_from_host(host.data(), other.data(), 16); }), {"'device'"});
  expect_contains(refusal([&] { executor->copy_to_host(a.data(), b.data(), 16); }), {"copy_to_host", "'host'"});
  expect_contains(refusal([&] { executor->copy_to_host(a.data(), host.data(), 24); }), {"24 bytes"});
  expect_contains(refusal([&] { executor->copy_within(host.data(), a.data(), 16); }), {"copy_within", "'from'"});
}

TEST_F(Guarded, FreshMemoryIsNotANumber) {
  auto once = std::make_unique<Array<double>>(executor, 100);
  kernels.fill(100, 1.0, once->data());
  once.reset();
  const Array<double> again(executor, 100);
  const Array<float> floats(executor, 3);
  for (const double value : again.to_host()) EXPECT_TRUE(std::isnan(value));
  for (const float value : floats.to_host()) EXPECT_TRUE(std::isnan(value));
}

TEST_F(Guarded, UsesFreedAddressesAgain) {
  const auto before = put(executor, std::vector<double>{1});
  auto freed = std::make_unique<Array<double>>(executor, 1000);
  const auto after = put(executor, std::vector<double>{2});
  const double* address = freed->data();
  freed.reset();
  const Array<double> again(executor, 1000), elsewhere(executor, 1000);
  EXPECT_EQ(again.data(), address);
  EXPECT_NE(elsewhere.data(), address);
  EXPECT_EQ(before.to_host()[0], 1) << "neighbours are left alone";
  EXPECT_EQ(after.to_host()[0], 2);
}

TEST_F(Guarded, MemoryOfTwoExecutorsIsApart) {
  const auto other = make_guarded_executor();
  const auto x = put(other, std::vector<double>{1, 2});
  Array<double> y(executor, 2);
  expect_contains(refusal([&] { kernels.copy(2, x.data(), y.data()); }), {"'copy'", "'x'"});
}

} // namespace
} // namespace atl::test
