#include "spy.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace atl::app {

namespace {

constexpr GlobalIndex most_lines = 20, most_columns = 40;
constexpr std::string_view shades = " .:-=+*#%@"; // from none to the densest cell, by the logarithm

/// Cell of index i when n indices share `cells` cells.
std::size_t cell(GlobalIndex i, GlobalIndex n, GlobalIndex cells) {
  return static_cast<std::size_t>(static_cast<double>(i) / static_cast<double>(n) * static_cast<double>(cells));
}

char shade(std::int64_t count, std::int64_t densest) {
  if (count == 0) return shades[0];
  const auto steps = static_cast<double>(shades.size() - 2);
  const double darkness =
      densest > 1 ? std::log(static_cast<double>(count)) / std::log(static_cast<double>(densest)) : 1;
  return shades[1 + static_cast<std::size_t>(std::lround(steps * darkness))];
}

} // namespace

std::string spy_picture(Communicator& comm, const RowBlock<double>& rows) {
  if (rows.n_rows == 0 || rows.n_cols == 0) return {};
  const GlobalIndex lines = std::min(rows.n_rows, most_lines), columns = std::min(rows.n_cols, most_columns);
  std::vector<std::int64_t> count(static_cast<std::size_t>(lines * columns), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows.rows()); ++i) {
    const std::size_t line = cell(rows.row_begin + static_cast<GlobalIndex>(i), rows.n_rows, lines);
    for (Offset e = rows.offsets[i]; e < rows.offsets[i + 1]; ++e)
      ++count[line * static_cast<std::size_t>(columns) +
              cell(rows.column[static_cast<std::size_t>(e)], rows.n_cols, columns)];
  }
  comm.all_reduce(std::span<std::int64_t>(count), ReduceOp::sum);

  const std::int64_t densest = *std::max_element(count.begin(), count.end());
  const std::string edge = "  +" + std::string(static_cast<std::size_t>(columns), '-') + "+";
  std::string picture = edge + "\n";
  for (auto place = count.begin(); place != count.end();) {
    picture += "  |";
    for (GlobalIndex c = 0; c < columns; ++c) picture += shade(*place++, densest);
    picture += "|\n";
  }
  return picture + edge;
}

} // namespace atl::app
