#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/io/part_halo.hpp>

#include "support/contexts.hpp"
#include "support/random_matrix.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace atl::test {
namespace {

using Values = std::vector<std::int64_t>;

/// All arrays of the plan of a matrix cut into `ranges`, found by `ranks` ranks that hold equal blocks of rows.
std::map<std::string, Values> plan_of(const RandomMatrix& matrix, const std::vector<GlobalIndex>& row_ranges,
                                      const std::vector<GlobalIndex>& column_ranges, int ranks) {
  std::map<std::string, Values> plan;
  run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
    const RowBlock<double> rows = random_slab<double>(matrix, comm->rank(), ranks);
    const auto arrays = plan_arrays(*comm, find_part_halo(test_context(comm), rows.row_begin, rows.offsets,
                                                          rows.column, row_ranges, column_ranges));
    for (const PlanArray& array : arrays) {
      Values& all = plan[array.name]; // one rank runs at a time
      all.resize(static_cast<std::size_t>(array.total));
      std::copy(array.values.begin(), array.values.end(), all.begin() + array.first);
    }
  });
  return plan;
}

TEST(PartHalo, HandNumbers) {
  // Rows 0..1 | 2..3 | 4..5: a tridiagonal matrix and one entry (5, 0) without its mirror.
  RowBlock<double> rows;
  rows.n_rows = rows.n_cols = 6;
  for (GlobalIndex i = 0; i < 6; ++i) {
    if (i == 5) rows.column.push_back(0);
    for (GlobalIndex j = std::max<GlobalIndex>(0, i - 1); j <= std::min<GlobalIndex>(5, i + 1); ++j)
      rows.column.push_back(j);
    rows.offsets.push_back(rows.entries());
  }
  const std::vector<GlobalIndex> ranges{0, 2, 4, 6};
  const CommunicatorPtr self = make_self_communicator();
  std::map<std::string, Values> plan;
  for (PlanArray& array :
       plan_arrays(*self, find_part_halo(test_context(self), 0, rows.offsets, rows.column, ranges, ranges)))
    plan[array.name] = array.values;
  EXPECT_EQ(plan["ghost_ranges"], (Values{0, 1, 3, 5}));
  EXPECT_EQ(plan["ghosts"], (Values{2, 1, 4, 0, 3}));
  EXPECT_EQ(plan["neighbour_ranges"], (Values{0, 2, 4, 6}));
  EXPECT_EQ(plan["neighbours"], (Values{1, 2, 0, 2, 0, 1}));
  EXPECT_EQ(plan["receive_counts"], (Values{1, 0, 1, 1, 1, 1}));
  EXPECT_EQ(plan["send_counts"], (Values{1, 1, 1, 1, 0, 1}));
  EXPECT_EQ(plan["send_ranges"], (Values{0, 2, 4, 5}));
  EXPECT_EQ(plan["send_index"], (Values{1, 0, 2, 3, 4}));
}

/// The plan by its definition, from the whole matrix.
void expect_definition(const RandomMatrix& matrix, const std::vector<GlobalIndex>& row_ranges,
                       const std::vector<GlobalIndex>& column_ranges, std::map<std::string, Values> plan) {
  const int parts = static_cast<int>(row_ranges.size()) - 1;
  const RowBlock<double> rows = random_rows<double>(matrix, 0, matrix.rows);
  const auto owner = [&](GlobalIndex column) {
    int p = 0;
    while (column >= column_ranges[static_cast<std::size_t>(p) + 1]) ++p;
    return p;
  };
  std::map<int, std::set<GlobalIndex>> needs; // by part
  for (int p = 0; p < parts; ++p)
    for (Offset k = rows.offsets[static_cast<std::size_t>(row_ranges[static_cast<std::size_t>(p)])];
         k < rows.offsets[static_cast<std::size_t>(row_ranges[static_cast<std::size_t>(p) + 1])]; ++k)
      if (owner(rows.column[static_cast<std::size_t>(k)]) != p)
        needs[p].insert(rows.column[static_cast<std::size_t>(k)]);

  Values ghosts, ghost_ranges{0}, neighbours, neighbour_ranges{0}, receives, sends, send_index, send_ranges{0};
  for (int p = 0; p < parts; ++p) {
    ghosts.insert(ghosts.end(), needs[p].begin(), needs[p].end());
    for (int q = 0; q < parts; ++q) {
      std::int64_t in = 0, out = 0;
      for (const GlobalIndex column : needs[p]) in += owner(column) == q;
      for (const GlobalIndex column : needs[q])
        if (owner(column) == p && q != p) {
          ++out;
          send_index.push_back(column);
        }
      if (in == 0 && out == 0) continue;
      neighbours.push_back(q);
      receives.push_back(in);
      sends.push_back(out);
    }
    ghost_ranges.push_back(std::ssize(ghosts));
    neighbour_ranges.push_back(std::ssize(neighbours));
    send_ranges.push_back(std::ssize(send_index));
  }
  EXPECT_EQ(plan["ghosts"], ghosts);
  EXPECT_EQ(plan["ghost_ranges"], ghost_ranges);
  EXPECT_EQ(plan["neighbours"], neighbours);
  EXPECT_EQ(plan["neighbour_ranges"], neighbour_ranges);
  EXPECT_EQ(plan["receive_counts"], receives);
  EXPECT_EQ(plan["send_counts"], sends);
  EXPECT_EQ(plan["send_index"], send_index);
  EXPECT_EQ(plan["send_ranges"], send_ranges);
}

TEST(PartHalo, AnyRanksFindWhatTheDefinitionSays) {
  for (const int ranks : {1, 2, 5, 16})
    for (const int parts : {1, 2, 5, 16, 40}) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, " + std::to_string(parts) + " parts");
      const RandomMatrix square{.rows = 37, .cols = 37, .density = 0.06, .seed = 3};
      const auto ranges = random_ranges(37, parts, 5);
      expect_definition(square, ranges, ranges, plan_of(square, ranges, ranges, ranks));
      const RandomMatrix wide{.rows = 12, .cols = 60, .density = 0.1, .seed = 4, .diagonal = false};
      const auto rows = random_ranges(12, parts, 6), columns = block_ranges(60, parts);
      expect_definition(wide, rows, columns, plan_of(wide, rows, columns, ranks));
    }
}

} // namespace
} // namespace atl::test
