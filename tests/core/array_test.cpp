#include "executors.hpp"

#include <numeric>
#include <utility>

namespace atl::test {
namespace {

class Arrays : public testing::TestWithParam<ExecutorCase> {
 protected:
  ExecutorPtr executor = GetParam().make();
};

TEST_P(Arrays, GiveBackWhatWasPutIn) {
  std::vector<double> values(1000);
  std::iota(values.begin(), values.end(), 0.5);
  const auto array = put(executor, values);
  EXPECT_EQ(array.size(), 1000);
  EXPECT_EQ(array.bytes(), 8000u);
  EXPECT_EQ(array.to_host(), values);
}

TEST_P(Arrays, MoveWithoutCopyingAndLeaveNothingBehind) {
  auto a = put(executor, std::vector<int>{1, 2, 3});
  const int* data = a.data();
  Array<int> b = std::move(a);
  EXPECT_EQ(b.data(), data);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_TRUE(a.empty());
  auto c = put(executor, std::vector<int>{9});
  c = std::move(b);
  EXPECT_EQ(c.to_host(), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(executor->statistics().bytes_in_use, 3 * sizeof(int)) << "the old memory of c is freed";
}

TEST_P(Arrays, CloneIntoMemoryOfTheirOwn) {
  auto a = put(executor, std::vector<float>{1, 2});
  const auto b = a.clone();
  a.copy_from(std::vector<float>{3, 4});
  EXPECT_EQ(b.to_host(), (std::vector<float>{1, 2}));
  EXPECT_EQ(a.to_host(), (std::vector<float>{3, 4}));
  EXPECT_TRUE(Array<float>().clone().empty());
}

TEST_P(Arrays, OfNoLengthHoldNoMemory) {
  const Array<double> a(executor, 0);
  EXPECT_EQ(a.data(), nullptr);
  EXPECT_TRUE(a.to_host().empty());
  EXPECT_TRUE(a.host().empty()) << "looking at nothing is allowed anywhere";
  EXPECT_EQ(executor->statistics().allocations, 0u);
}

TEST_P(Arrays, RefuseCopiesOfAnotherLength) {
  auto a = put(executor, std::vector<double>{1, 2});
  std::vector<double> three(3);
  EXPECT_THROW(a.copy_from(three), Error);
  EXPECT_THROW(a.copy_to(three), Error);
}

TEST_P(Arrays, RefuseSizesThatNoMemoryHas) {
  EXPECT_THROW(Array<double>(executor, -1), Error);
  EXPECT_THROW(Array<double>(executor, Offset{1} << 61), Error) << "its bytes would wrap around to zero";
  EXPECT_EQ(executor->statistics().bytes_in_use, 0u);
}

TEST_P(Arrays, ShowThemselvesToTheHostOnlyInItsMemory) {
  auto a = put(executor, std::vector<double>{1, 2});
  if (executor->host_accessible())
    EXPECT_EQ(a.host()[1], 2);
  else
    EXPECT_THROW(a.host(), Error);
}

INSTANTIATE_TEST_SUITE_P(All, Arrays, testing::ValuesIn(all_executors()), case_name);

} // namespace
} // namespace atl::test
