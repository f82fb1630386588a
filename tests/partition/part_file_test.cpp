#include "graphs.hpp"
#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <atoll/comm/virtual_cluster.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <unistd.h>

namespace atl::test {
namespace {

/// A file that goes with the test.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& text)
      : name_(std::filesystem::temp_directory_path() / ("atoll_parts_" + std::to_string(::getpid()) + ".txt")) {
    std::ofstream(name_, std::ios::binary) << text;
  }
  ~TemporaryFile() { std::filesystem::remove(name_); }
  std::string name() const { return name_; }

 private:
  std::filesystem::path name_;
};

struct Outcome {
  std::vector<int> part;
  std::string why;
  std::optional<Error> error;
};

Outcome read(const std::string& file, GlobalIndex n, int parts, int ranks) {
  Outcome outcome;
  const auto ranges = random_ranges(n, ranks, 4);
  int failed = 0; // ranks run one at a time
  run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
    const Context context = test_context(comm);
    const DGraph graph = make_graph(context, slab_of(path(n), ranges, comm->rank()), true);
    try {
      const Partition p =
          compute_partition(context, graph, parts, {.method = PartitionMethod::file, .file = file}, {});
      const auto all = gather(*comm, p.owner);
      if (comm->rank() == 0) outcome = {all, p.why, {}};
    } catch (const Error& error) {
      ++failed;
      outcome.error = error;
    }
  });
  EXPECT_TRUE(failed == 0 || failed == ranks) << "some ranks failed, others did not";
  return outcome;
}

TEST(PartFile, IsTakenAsItIs) {
  const TemporaryFile file("2\n1\n4\n4\n2\n");
  for (const int ranks : {1, 2, 3, 5, 12}) {
    const Outcome o = read(file.name(), 5, 5, ranks);
    ASSERT_FALSE(o.error) << o.error->line();
    EXPECT_EQ(o.part, (std::vector<int>{2, 1, 4, 4, 2}));
    EXPECT_NE(o.why.find("2 of 5 parts are empty"), std::string::npos) << o.why;
  }
}

TEST(PartFile, SpacingCommentsLineEndsAndNoFinalLineEnd) {
  const TemporaryFile file("% parts\n\n 0\r\n1  \r\n# more\n\n\t2\n0");
  for (const int ranks : {1, 2, 3, 7}) {
    const Outcome o = read(file.name(), 4, 3, ranks);
    ASSERT_FALSE(o.error) << o.error->line();
    EXPECT_EQ(o.part, (std::vector<int>{0, 1, 2, 0}));
  }
}

TEST(PartFile, ManyLinesOnManyRanks) {
  std::string text;
  std::vector<int> wanted;
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    wanted.push_back(static_cast<int>(random.below(1200)));
    text += std::to_string(wanted.back()) + "\n";
  }
  const TemporaryFile file(text);
  for (const int ranks : {1, 3, 8}) EXPECT_EQ(read(file.name(), 3000, 1200, ranks).part, wanted);
}

TEST(PartFile, FaultsNameFileAndLine) {
  const struct {
    std::string text, line, message;
  } cases[] = {{"0\n1\n3\n0\n", ":3", "'3' is not in 0..2"},
               {"0\n-1\n0\n0\n", ":2", "'-1'"},
               {"0\n\n% x\nfoo\n0\n0\n", ":4", "'foo'"},
               {"0\n1 2\n0\n0\n", ":2", "'1 2'"},
               {"0\n1.0\n0\n0\n", ":2", "'1.0'"},
               {"0\n1\n0\n", "", "holds 3 part numbers"},
               {"0\n1\n0\n0\n1\n", "", "holds 5 part numbers"},
               {"", "", "holds 0 part numbers"},
               {"0\n9999999999999999999999\n0\n0\n", ":2", "999"},
               {std::string("0\n\0\x1b[2J\n0\n0\n", 12), ":2", "?"}};
  for (const auto& c : cases) {
    const TemporaryFile file(c.text);
    for (const int ranks : {1, 2, 5}) {
      const Outcome o = read(file.name(), 4, 3, ranks);
      ASSERT_TRUE(o.error) << c.text;
      EXPECT_EQ(o.error->kind(), ErrorKind::bad_input);
      EXPECT_EQ(o.error->where(), file.name() + c.line);
      EXPECT_NE(o.error->line().find(c.message), std::string::npos) << o.error->line();
      const std::string line = o.error->line();
      EXPECT_TRUE(std::all_of(line.begin(), line.end(), [](char ch) { return ch >= ' ' && ch <= '~'; }));
    }
  }
}

TEST(PartFile, MissingFileAndFolder) {
  for (const std::string& name : {std::string("/no/such/file.txt"), std::string("/tmp")}) {
    const Outcome o = read(name, 4, 3, 3);
    ASSERT_TRUE(o.error);
    EXPECT_EQ(o.error->kind(), ErrorKind::bad_input);
    EXPECT_NE(o.error->line().find(name), std::string::npos);
  }
}

} // namespace
} // namespace atl::test
