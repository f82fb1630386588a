#include "executors.hpp"

#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
// A refused allocation returns nothing, as without the sanitizer, instead of ending the program.
extern "C" ATOLL_API const char* __asan_default_options();
extern "C" ATOLL_API const char* __asan_default_options() { return "allocator_may_return_null=1"; }
#endif

namespace atl::test {
namespace {

class Executors : public testing::TestWithParam<ExecutorCase> {
 protected:
  ExecutorPtr executor = GetParam().make();
};

TEST_P(Executors, CountWhatIsInUse) {
  const auto& statistics = executor->statistics();
  {
    const Array<double> a(executor, 100);
    {
      const Array<float> b(executor, 10);
      EXPECT_EQ(statistics.bytes_in_use, 840u);
    }
    EXPECT_EQ(statistics.bytes_in_use, 800u);
    const Array<float> c(executor, 0);
    EXPECT_EQ(statistics.allocations, 2u);
  }
  EXPECT_EQ(statistics.bytes_in_use, 0u);
  EXPECT_EQ(statistics.bytes_peak, 840u);
}

TEST_P(Executors, CountCopiesBetweenMemoriesAlone) {
  const auto& statistics = executor->statistics();
  const auto a = put(executor, std::vector<int>{1, 2});
  a.clone();
  a.to_host();
  a.to_host();
  const std::size_t crossing = executor->host_accessible() ? 0 : 1;
  EXPECT_EQ(statistics.copies_from_host, crossing);
  EXPECT_EQ(statistics.copies_to_host, 2 * crossing);
}

TEST_P(Executors, AlignForCacheLines) {
  for (const Offset bytes : {1, 63, 65, 5000, 5 << 20}) {
    const Array<char> a(executor, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.data()) % 64, 0u) << bytes;
  }
}

TEST_P(Executors, SayHowManyBytesTheyCouldNotGet) {
  try {
    executor->allocate(std::size_t{1} << 60);
    FAIL() << "no machine has that much memory";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(std::string(error.what()).find("1152921504606846976"), std::string::npos) << error.what();
  }
  EXPECT_EQ(executor->statistics().allocations, 0u);
  EXPECT_EQ(executor->statistics().bytes_in_use, 0u);
}

TEST_P(Executors, CopyBetweenOverlappingPlaces) {
  auto a = put(executor, std::vector<int>{1, 2, 3, 4});
  executor->copy_within(a.data(), a.data() + 1, 3 * sizeof(int));
  EXPECT_EQ(a.to_host(), (std::vector<int>{1, 1, 2, 3}));
}

INSTANTIATE_TEST_SUITE_P(All, Executors, testing::ValuesIn(all_executors()), case_name);

TEST(HostExecutor, NeedsAThread) {
  EXPECT_THROW(make_host_executor(0), Error);
  EXPECT_THROW(make_host_executor(-3), Error);
}

} // namespace
} // namespace atl::test
