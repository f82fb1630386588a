#include "bench_problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace atl::app {

namespace {

/// An entry on its way from rows in global numbering to two local matrices; a row in 16 + 16 columns and some vectors.
constexpr double bytes_an_entry = 64, bytes_a_row = 320;

struct Kind {
  const char* name;
  int dimensions;
  int entries_a_row, rows_a_point;
  const char* parameters;
};
constexpr Kind kinds[] = {{"poisson2d", 2, 5, 1, ""},
                          {"poisson3d", 3, 7, 1, ""},
                          {"poisson3d27", 3, 27, 1, ""},
                          {"elasticity3d", 3, 81, 3, ""},
                          {"diffusion3d", 3, 7, 1, ",contrast=1e6"}};

} // namespace

std::vector<std::string> bench_problems(std::int64_t bytes) {
  std::vector<std::string> problems;
  for (const Kind& kind : kinds) {
    const double points =
        static_cast<double>(bytes) / (bytes_an_entry * kind.entries_a_row + bytes_a_row) / kind.rows_a_point;
    const auto side = std::max<std::int64_t>(2, static_cast<std::int64_t>(std::pow(points, 1.0 / kind.dimensions)));
    problems.push_back(kind.dimensions == 2
                           ? fmt::format("{}:{}x{}{}", kind.name, side, side, kind.parameters)
                           : fmt::format("{}:{}x{}x{}{}", kind.name, side, side, side, kind.parameters));
  }
  return problems;
}

} // namespace atl::app
