#include <atoll/partition/metis.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <thread>

namespace atl::test {
namespace {

SerialGraph serial_path(int n) {
  SerialGraph g;
  for (int i = 0; i < n; ++i) {
    for (const int j : {i - 1, i + 1})
      if (j >= 0 && j < n) {
        g.neighbour.push_back(j);
        g.edge_weight.push_back(1);
      }
    g.offsets.push_back(static_cast<std::int32_t>(g.neighbour.size()));
    g.weight.push_back(1);
  }
  return g;
}

TEST(Metis, IsNotCalledWhereItCrashes) {
  EXPECT_EQ(metis_parts(serial_path(6), 1, 0.03, 1, false), std::vector<int>(6, 0));
  EXPECT_EQ(metis_parts(serial_path(6), 1, 0.03, 1, true), std::vector<int>(6, 0));
  EXPECT_EQ(metis_parts(serial_path(1), 1, 0.03, 1, false), std::vector<int>(1, 0));
  EXPECT_EQ(metis_parts(serial_path(4), 8, 0.03, 1, false), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(metis_parts(serial_path(2), 2, 0.03, 1, true), (std::vector<int>{0, 1}));
  EXPECT_TRUE(metis_parts(serial_path(0), 3, 0.03, 1, true).empty());
}

TEST(Metis, WithoutEdgesRowsAreDealtOut) {
  SerialGraph g;
  g.weight.assign(50, 1);
  g.offsets.assign(51, 0);
  const std::vector<int> part = metis_parts(g, 4, 0.03, 1, false);
  for (int p = 0; p < 4; ++p) EXPECT_EQ(std::count(part.begin(), part.end(), p) / 2, 6) << "12 or 13";
}

TEST(Metis, PathIsCutAtThePartsBorders) {
  const std::vector<int> part = metis_parts(serial_path(400), 4, 0.03, 1, true);
  int cut = 0;
  for (int i = 0; i + 1 < 400; ++i) cut += part[i] != part[i + 1];
  EXPECT_EQ(cut, 3);
  EXPECT_EQ(std::set(part.begin(), part.end()).size(), 4u);
}

TEST(Metis, CallsFromThreadsGiveWhatOneCallGives) {
  const SerialGraph g = serial_path(2000);
  const std::vector<int> alone = metis_parts(g, 9, 0.03, 7, false);
  std::vector<std::vector<int>> answers(6);
  std::vector<std::thread> threads;
  for (auto& answer : answers) threads.emplace_back([&] { answer = metis_parts(g, 9, 0.03, 7, false); });
  for (auto& thread : threads) thread.join();
  for (const auto& answer : answers) EXPECT_EQ(answer, alone);
}

} // namespace
} // namespace atl::test
