#include <atoll/io/line_range.hpp>

#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace atl {
namespace {

using Lines = std::vector<std::string>;

/// All lines, cut by `ranks` equal byte ranges, one after another; empty text where the count is wrong.
Lines cut(const std::string& text, int ranks, Offset first = 0) {
  const MemoryBytes bytes(text);
  const Offset length = bytes.size() - first;
  Lines lines;
  for (int rank = 0; rank < ranks; ++rank) {
    LineRange range(bytes, first, first + length * rank / ranks, first + length * (rank + 1) / ranks);
    const std::size_t before = lines.size();
    for (Line line; range.next(line);) lines.emplace_back(line.begin, line.end);
    EXPECT_EQ(range.lines(), static_cast<Offset>(lines.size() - before));
  }
  return lines;
}

TEST(LineRange, GivesEachLineOnceForAnyCut) {
  const std::string text = "a\n\nbb\r\nccc\n\r\n\nlast";
  const Lines expected{"a", "", "bb", "ccc", "", "", "last"};
  for (int ranks = 1; ranks <= 25; ++ranks) {
    EXPECT_EQ(cut(text, ranks), expected) << ranks;
    EXPECT_EQ(cut(text + "\n", ranks), expected) << ranks;
  }
  EXPECT_EQ(cut("", 3), Lines{});
  EXPECT_EQ(cut("\n", 3), Lines{""});
  EXPECT_EQ(cut("head\nx\ny", 2, 5), (Lines{"x", "y"}));
}

TEST(LineRange, KeepsRandomTextsWhole) {
  test::Random random(3);
  for (int trial = 0; trial < 30; ++trial) {
    Lines expected;
    std::string text;
    const auto count = random.below(60);
    for (std::int64_t line = 0; line < count; ++line) {
      // Some lines are longer than what is read beyond a range.
      const auto length = random.below(10) ? random.below(30) : random.below(20000);
      expected.emplace_back(static_cast<std::size_t>(length), static_cast<char>('a' + line % 26));
      text += expected.back() + '\n';
    }
    for (const int ranks : {1, 2, 3, 7, 64}) EXPECT_EQ(cut(text, ranks), expected);
  }
}

TEST(LineRange, CrossesItsBuffer) {
  Lines expected;
  std::string text;
  for (int line = 0; line < 300000; ++line) {
    expected.push_back(std::to_string(line));
    text += expected.back() + '\n';
  }
  EXPECT_EQ(cut(text, 1), expected);
  EXPECT_EQ(cut(text, 3), expected);
}

TEST(LineRange, RefusesALineBeyondItsBuffer) {
  const std::string text = "short\n" + std::string(3 << 20, 'x') + "\nshort\n";
  const MemoryBytes bytes(text);
  LineRange range(bytes, 0, 0, bytes.size());
  Line line;
  EXPECT_TRUE(range.next(line));
  EXPECT_THROW(range.next(line), Error);
  EXPECT_EQ(range.lines(), 2);
  // Whose range begins within that line has only the last one.
  LineRange last(bytes, 0, 100, bytes.size());
  EXPECT_TRUE(last.next(line));
  EXPECT_EQ(std::string(line.begin, line.end), "short");
  EXPECT_FALSE(last.next(line));
}

} // namespace
} // namespace atl
