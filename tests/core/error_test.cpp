#include <atoll/core/types.hpp>

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <vector>

namespace atl {
namespace {

TEST(Errors, HaveTheExitStatusOfTheirKind) {
  EXPECT_EQ(exit_status(ErrorKind::usage), 2);
  EXPECT_EQ(exit_status(ErrorKind::bad_input), 3);
  EXPECT_EQ(exit_status(ErrorKind::limit), 3);
  EXPECT_EQ(exit_status(ErrorKind::environment), 4);
  EXPECT_EQ(exit_status(ErrorKind::internal), 5);
}

TEST(Errors, SayWhereBeforeWhat) {
  EXPECT_EQ(Error(ErrorKind::bad_input, "a word, a number is expected", "A.mtx:7").line(),
            "A.mtx:7: a word, a number is expected");
  EXPECT_EQ(Error(ErrorKind::usage, "no").line(), "no");
}

template <class Throw>
Error described(const Throw& action) {
  try {
    action();
  } catch (...) {
    return describe_current_exception();
  }
  return Error(ErrorKind::usage, "nothing was thrown");
}

TEST(Errors, DescribeAnyException) {
  const Error own = described([] { throw Error(ErrorKind::limit, "big", "here"); });
  EXPECT_EQ(own.kind(), ErrorKind::limit);
  EXPECT_EQ(own.where(), "here");
  EXPECT_EQ(described([] { throw std::bad_alloc(); }).kind(), ErrorKind::environment);
  EXPECT_EQ(described([] { std::vector<int>().reserve(~std::size_t{0}); }).kind(), ErrorKind::environment);
  EXPECT_EQ(described([] { throw std::runtime_error("odd"); }).kind(), ErrorKind::internal);
  EXPECT_STREQ(described([] { throw std::runtime_error("odd"); }).what(), "odd");
  EXPECT_EQ(described([] { throw 7; }).kind(), ErrorKind::internal);
}

TEST(Errors, EnsureThrowsOnlyWhereTheConditionFails) {
  EXPECT_NO_THROW(ensure(true, "x"));
  EXPECT_THROW(ensure(false, "x"), Error);
}

TEST(Narrow, KeepsWhatFitsAndRefusesTheRest) {
  EXPECT_EQ(narrow<LocalIndex>(GlobalIndex{2147483647}), 2147483647);
  EXPECT_EQ(narrow<LocalIndex>(GlobalIndex{-2147483648}), -2147483647 - 1);
  EXPECT_EQ(narrow<std::size_t>(Offset{5}), 5u);
  EXPECT_THROW(narrow<LocalIndex>(GlobalIndex{2147483648}), Error);
  EXPECT_THROW(narrow<std::size_t>(Offset{-1}), Error);
  EXPECT_THROW(narrow<Offset>(~std::uint64_t{0}), Error);
}

TEST(Narrow, SaysTheNumberThatDoesNotFit) {
  const Error error = described([] { narrow<LocalIndex>(GlobalIndex{3000000000}); });
  EXPECT_EQ(error.kind(), ErrorKind::limit);
  EXPECT_NE(std::string(error.what()).find("3000000000"), std::string::npos) << error.what();
  EXPECT_NE(std::string(error.what()).find("2147483647"), std::string::npos) << error.what();
}

} // namespace
} // namespace atl
