// The plan of a sweep: everything once, and nothing before what it needs, however the threads run.
#include <atoll/core/sweep_plan.hpp>

#include <gtest/gtest.h>
#include <support/random_matrix.hpp>

#include <algorithm>
#include <string>

namespace atl::test {
namespace {

using Stage = SweepPlan::Stage;
using Task = SweepPlan::Task;
using Tasks = std::vector<Task>;

constexpr LocalIndex chunk_rows = PackedMatrix<double>::chunk_rows;

/// Chunks of a square matrix of `rows` rows; the reach of each is random of the kind named.
std::vector<PackedChunk> random_chunks(LocalIndex rows, const std::string& kind, Random& random) {
  std::vector<PackedChunk> chunks;
  for (LocalIndex first = 0; first < rows; first += chunk_rows) {
    PackedChunk c;
    c.first = first;
    c.rows = std::min(chunk_rows, rows - first);
    c.entries = static_cast<std::uint32_t>(random.below(9000));
    LocalIndex low = first, high = first + c.rows;
    if (kind == "banded") {
      low = first - 700;
      high = first + c.rows + 700;
    } else if (kind == "local") {
      low = first - static_cast<LocalIndex>(random.below(5 * chunk_rows));
      high = first + static_cast<LocalIndex>(random.below(5 * chunk_rows));
    } else if (kind == "anywhere") {
      low = static_cast<LocalIndex>(random.below(rows));
      high = low + 1 + static_cast<LocalIndex>(random.below(rows - low));
    } else if (kind == "far and near" && random.below(4) == 0) {
      low = 0;
      high = rows;
    }
    c.reach_begin = std::clamp(low, 0, rows - 1);
    c.reach_end = std::clamp(high, c.reach_begin + 1, rows);
    chunks.push_back(c);
  }
  return chunks;
}

/// Which stages of which chunks are done, as far as one thread may know.
struct Done {
  explicit Done(std::size_t chunks) : stage(3, std::vector<bool>(chunks)) {}
  std::vector<std::vector<bool>> stage;

  auto operator()(Stage s, std::size_t c) { return stage[static_cast<std::size_t>(s)][c]; }
  bool all(Stage s, const PackedChunk& chunk) {
    for (LocalIndex row = chunk.reach_begin; row < chunk.reach_end; ++row)
      if (!(*this)(s, static_cast<std::size_t>(row / chunk_rows))) return false;
    return true;
  }
};

/// Each order of the threads' tasks within a part is possible: a thread may count on its own tasks before, and on all
/// threads' tasks of earlier parts.
void check_order(const SweepPlan& plan, const std::vector<PackedChunk>& chunks) {
  Done at_barrier(chunks.size());
  for (const auto part : {&SweepPlan::Thread::first, &SweepPlan::Thread::second, &SweepPlan::Thread::third}) {
    Done after = at_barrier;
    for (const SweepPlan::Thread& thread : plan.threads()) {
      Done known = at_barrier;
      for (const Task& task : thread.*part) {
        const PackedChunk& chunk = chunks[task.chunk];
        ASSERT_FALSE(after(task.stage, task.chunk)) << "twice";
        switch (task.stage) {
        case Stage::direction: // reads u, which the step overwrites
          ASSERT_EQ(part,
                    &SweepPlan::Thread::first); // nobody else has taken the step by then: it needs this direction
          ASSERT_FALSE(known(Stage::step, task.chunk));
          break;
        case Stage::step:
          ASSERT_NE(part, &SweepPlan::Thread::third);
          ASSERT_TRUE(known(Stage::direction, task.chunk));
          ASSERT_TRUE(known.all(Stage::direction, chunk));
          break;
        case Stage::dots:
          ASSERT_TRUE(known(Stage::step, task.chunk));
          ASSERT_TRUE(known.all(Stage::step, chunk));
        }
        known(task.stage, task.chunk) = true;
        after(task.stage, task.chunk) = true;
      }
    }
    at_barrier = after;
  }
  for (const auto& stage : at_barrier.stage) ASSERT_EQ(std::ranges::count(stage, true), std::ssize(chunks));
}

TEST(SweepPlan, KeepsTheOrderThatAStepNeeds) {
  Random random(1);
  for (const char* kind : {"banded", "local", "anywhere", "far and near", "diagonal"})
    for (const LocalIndex rows : {1, 1023, 1024, 1025, 5000, 12345, 40000})
      for (int repeat = 0; repeat < 4; ++repeat)
        for (int threads = 1; threads <= 5; ++threads) {
          SCOPED_TRACE(std::string(kind) + ", rows " + std::to_string(rows) + ", threads " + std::to_string(threads));
          const auto chunks = random_chunks(rows, kind, random);
          const SweepPlan plan(chunks, rows, threads);
          ASSERT_EQ(std::ssize(plan.threads()), threads);
          check_order(plan, chunks);
          if (threads == 1) { // nothing to wait for
            ASSERT_TRUE(plan.threads()[0].second.empty());
          }
        }
}

TEST(SweepPlan, NoRows) {
  for (const int threads : {1, 3}) {
    const SweepPlan plan({}, 0, threads);
    ASSERT_EQ(std::ssize(plan.threads()), threads);
    for (const SweepPlan::Thread& thread : plan.threads())
      EXPECT_TRUE(thread.first.empty() && thread.second.empty() && thread.third.empty());
  }
}

TEST(SweepPlan, FrontsStayCloseTogetherAndLittleIsLeftToTheEnd) {
  Random random(2);
  constexpr LocalIndex rows = 200 * chunk_rows;
  const auto chunks = random_chunks(rows, "banded", random); // each chunk reaches its two neighbours
  const SweepPlan alone(chunks, rows, 1);
  const Tasks& tasks = alone.threads()[0].first;
  std::vector<std::ptrdiff_t> begun(chunks.size());
  std::ptrdiff_t longest = 0, at = 0;
  for (const Task& task : tasks) {
    if (task.stage == Stage::direction) begun[task.chunk] = at;
    if (task.stage == Stage::dots) longest = std::max(longest, at - begun[task.chunk]);
    ++at;
  }
  // direction c, then step c - 1, dots c - 2: a chunk is done seven tasks after it was begun, 1 more at the end.
  EXPECT_LE(longest, 8);
  EXPECT_LE(alone.threads()[0].third.size(), 3u);
  EXPECT_GE(alone.threads()[0].third.size(), 1u); // something to do while ghosts travel

  const SweepPlan four(chunks, rows, 4);
  for (const SweepPlan::Thread& thread : four.threads()) {
    EXPECT_GE(thread.first.size(), 3u * 40);
    EXPECT_LE(thread.second.size(), 2u); // a chunk at each end reaches another thread's rows
    EXPECT_LE(thread.third.size(), 4u);
  }
}

TEST(SweepPlan, ThreadsShareRowsAndEntries) {
  Random random(3);
  constexpr LocalIndex rows = 300 * chunk_rows;
  const auto chunks = random_chunks(rows, "local", random);
  Offset all = 0;
  for (const PackedChunk& c : chunks) all += c.entries + c.rows;
  const SweepPlan plan(chunks, rows, 3);
  for (const SweepPlan::Thread& thread : plan.threads()) {
    Offset mine = 0;
    for (const Task& task : thread.first)
      if (task.stage == Stage::direction) mine += chunks[task.chunk].entries + chunks[task.chunk].rows;
    EXPECT_NEAR(static_cast<double>(mine), static_cast<double>(all) / 3, 2.0 * 10024); // a chunk more or less
  }
}

} // namespace
} // namespace atl::test
