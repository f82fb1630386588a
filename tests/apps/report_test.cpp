#include <atoll/comm/communicator.hpp>
#include <atoll/io/report.hpp>
#include <atoll/solvers/stopping.hpp>

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

using atl::Reason;
using atl::Report;

namespace {

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

} // namespace

TEST(Report, KeysKeepTheirOrderAndDotsGoDeeper) {
  Report report;
  report.set("z", 1).set("a.b", true).set("a.c.d", "text").set("y", nullptr).set("a.b", false);
  EXPECT_EQ(without_spaces(report.text()), R"({"z":1,"a":{"b":false,"c":{"d":"text"}},"y":null})");
}

TEST(Report, NumbersAreStrictAndReadBack) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> values{1, 0.1, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 5e-324};
  Report report;
  report.set("values", std::span<const double>(values)).set("large", std::numeric_limits<std::int64_t>::max());
  report.set("nan", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(without_spaces(report.text()),
            R"({"values":[1.0,0.1,null,null,null,5e-324],"large":9223372036854775807,"nan":null})");
}

TEST(Report, ForeignTextIsEscaped) {
  Report report;
  report.set("name", std::string("quote\" back\\ line\n \xff"));
  EXPECT_EQ(report.text(), "{\n  \"name\": \"quote\\\" back\\\\ line\\n \xef\xbf\xbd\"\n}\n");
}

TEST(Report, ListsOfObjectsGrow) {
  Report report, row;
  row.set("n", 1);
  report.append("rows", row).append("rows", row);
  EXPECT_EQ(without_spaces(report.text()), R"({"rows":[{"n":1},{"n":1}]})");
}

TEST(Report, IsWrittenWhole) {
  const auto comm = atl::make_self_communicator();
  const std::string path = testing::TempDir() + "atoll_report_test.json";
  Report report;
  report.set("a", 1);
  report.write(*comm, path);
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), report.text());
  std::remove(path.c_str());
  EXPECT_THROW(report.write(*comm, "/no/such/folder/r.json"), atl::Error);
}

TEST(Reasons, AreDocumented) {
  std::ifstream file(ATOLL_DOCS "/json.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  int count = 0;
  for (; to_string(static_cast<Reason>(count)) != "unknown"; ++count) {
    const std::string row = "\n| `" + std::string(to_string(static_cast<Reason>(count))) + "` |";
    EXPECT_NE(text.find(row), std::string::npos) << row;
  }
  EXPECT_GE(count, 12);
}
