// Replays what the fuzzers started from and what they found. Files are named ok_... or bad_... by what must come
// of them.
#include "fuzz/fuzz_targets.hpp"
#include "store_sample.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace atl {
namespace {

using test::FuzzOutcome;

void replay(const std::string& target, FuzzOutcome (*run)(std::span<const char>)) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ATOLL_FUZZ_CORPUS "/" + target)) {
    const std::string name = entry.path().filename().string();
    const std::string bytes = test::read_bytes(entry.path().string());
    EXPECT_TRUE(name.starts_with("ok_") || name.starts_with("bad_")) << name;
    EXPECT_EQ(run(bytes) == FuzzOutcome::accepted, name.starts_with("ok_")) << target << "/" << name;
    ++files;
  }
  EXPECT_GE(files, 8);
}

TEST(FuzzCorpus, MatrixMarket) { replay("matrix_market", test::fuzz_matrix_market); }
TEST(FuzzCorpus, Number) { replay("number", test::fuzz_number); }
TEST(FuzzCorpus, ModelProblem) { replay("model_problem", test::fuzz_model_problem); }
TEST(FuzzCorpus, Store) { replay("store", test::fuzz_store); }

} // namespace
} // namespace atl
