#include <atoll/comm/agree.hpp>
#include <atoll/comm/block_range.hpp>
#include <atoll/io/memory_guard.hpp>
#include <atoll/io/model_grid.hpp>
#include <atoll/io/underflow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <string_view>

namespace atl {
namespace {

/// What the parser must know of a kind; the texts are in kind_texts, in the same order.
struct Kind {
  const char* name;
  std::size_t dimensions;
  const char* parameter; ///< nullptr: none
  double standard;       ///< the parameter's default
  double low, high;      ///< its range, both excluded and included: low < value <= high
};

constexpr double huge = 1e12;
constexpr Kind kinds[] = {
    {"poisson1d", 1, nullptr, 0, 0, 0},
    {"poisson2d", 2, nullptr, 0, 0, 0},
    {"poisson3d", 3, nullptr, 0, 0, 0},
    {"poisson3d27", 3, nullptr, 0, 0, 0},
    {"neumann2d", 2, nullptr, 0, 0, 0},
    {"neumann3d", 3, nullptr, 0, 0, 0},
    {"diffusion3d", 3, "contrast", 1e6, 0, huge},
    {"anisotropic2d", 2, "epsilon", 1e-3, 0, huge},
    {"convection2d", 2, "peclet", 10, -1e-300, huge},
    {"elasticity3d", 3, nullptr, 0, 0, 0},
};

constexpr ModelProblemKind kind_texts[] = {
    {"poisson1d:N", "3-point stencil, 2 and -1, Dirichlet at both ends"},
    {"poisson2d:NXxNY", "5-point stencil, 4 and -1, Dirichlet all round"},
    {"poisson3d:NXxNYxNZ", "7-point stencil, 6 and -1, Dirichlet all round"},
    {"poisson3d27:NXxNYxNZ", "27-point stencil, 26 and -1, Dirichlet all round"},
    {"neumann2d:NXxNY", "5-point stencil, number of neighbours and -1; singular, constants in the null space"},
    {"neumann3d:NXxNYxNZ", "7-point stencil, number of neighbours and -1; singular, constants in the null space"},
    {"diffusion3d:NXxNYxNZ[,contrast=1e6]",
     "7-point finite volumes, coefficient 1 or contrast in a checkerboard of 5x5x5 blocks, harmonic means on "
     "faces, Dirichlet walls half a cell away"},
    {"anisotropic2d:NXxNY[,epsilon=1e-3]", "5-point stencil, -1 along x and -epsilon along y"},
    {"convection2d:NXxNY[,peclet=10]",
     "diffusion and first-order upwind convection at 30 degrees, cell Peclet number peclet; not symmetric"},
    {"elasticity3d:NXxNYxNZ",
     "NXxNYxNZ trilinear hexahedra, Poisson ratio 0.3, clamped at x = 0; 3 unknowns a point"},
};
static_assert(std::size(kinds) == std::size(kind_texts));

const Kind* find_kind(std::string_view name) {
  const auto* kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& candidate) { return candidate.name == name; });
  return kind == std::end(kinds) ? nullptr : kind;
}

/// Insertions, deletions and replacements between two words (Levenshtein, 1966).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

const char* nearest_kind(std::string_view name) {
  return std::min_element(
             std::begin(kinds), std::end(kinds),
             [&](const Kind& a, const Kind& b) { return edit_distance(name, a.name) < edit_distance(name, b.name); })
      ->name;
}

const char* spelling(const Kind& kind) { return kind_texts[&kind - kinds].spelling; }

[[noreturn]] void refuse(const std::string& what, const std::string& spec) {
  throw Error(ErrorKind::usage, what, spec);
}

/// The parts between separators; at least one, maybe empty.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

template <class Number>
bool parse_all(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

std::vector<GlobalIndex> parse_extent(std::string_view text, const Kind& kind, const std::string& spec) {
  std::vector<GlobalIndex> extent;
  for (const auto part : split(text, 'x')) {
    GlobalIndex points = 0;
    if (!parse_all(part, points) || points < 1)
      refuse(fmt::format("'{}' is no number of points from 1 to 2^63-1; expected {}", part, spelling(kind)), spec);
    extent.push_back(points);
  }
  if (extent.size() != kind.dimensions)
    refuse(fmt::format("{} extents given, {} expected: {}", extent.size(), kind.dimensions, spelling(kind)), spec);
  return extent;
}

void parse_parameter(std::string_view text, const Kind& kind, ModelProblem& problem, const std::string& spec) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  if (!kind.parameter) refuse(fmt::format("{} takes no parameter, '{}' was given", kind.name, text), spec);
  if (equals == std::string_view::npos || name != kind.parameter)
    refuse(fmt::format("unknown parameter '{}'; did you mean {}=? Expected {}", name, kind.parameter, spelling(kind)),
           spec);
  double value = 0;
  if (!parse_all(text.substr(equals + 1), value) || !(value > kind.low && value <= kind.high))
    refuse(fmt::format("'{}' is no value of {}: a number {} and at most {} is expected", text.substr(equals + 1),
                       kind.parameter, kind.low < 0 ? "from 0" : "above 0", kind.high),
           spec);
  problem.parameters[kind.parameter] = value;
}

GlobalIndex product(std::span<const GlobalIndex> factors, const std::string& spec) {
  GlobalIndex result = 1;
  for (const GlobalIndex factor : factors)
    if (__builtin_mul_overflow(result, factor, &result))
      throw Error(ErrorKind::limit, "has more than 2^63-1 rows; choose smaller extents", spec);
  return result;
}

/// Rows in 64 bits, or Error{limit}.
GlobalIndex checked_rows(const ModelProblem& problem, const std::string& spec) {
  auto factors = problem.extent;
  if (problem.kind == "elasticity3d") {
    for (const std::size_t axis : {1, 2})
      if (__builtin_add_overflow(factors[axis], 1, &factors[axis]))
        throw Error(ErrorKind::limit, "has more than 2^63-1 rows; choose smaller extents", spec);
    factors.push_back(3);
  }
  return product(factors, spec);
}

/// Entries of a row away from the boundary.
std::size_t row_width(const ModelProblem& problem) {
  if (problem.kind == "elasticity3d") return 81;
  return problem.kind == "poisson3d27" ? 27 : 2 * problem.extent.size() + 1;
}

} // namespace

std::string ModelProblem::name() const {
  std::string text = fmt::format("{}:{}", kind, fmt::join(extent, "x"));
  for (const auto& [parameter, value] : parameters) text += fmt::format(",{}={}", parameter, value);
  return text;
}

GlobalIndex ModelProblem::rows() const { return checked_rows(*this, name()); }
int ModelProblem::unknowns_per_point() const { return kind == "elasticity3d" ? 3 : 1; }
bool ModelProblem::symmetric() const { return kind != "convection2d" || parameters.at("peclet") == 0; }
bool ModelProblem::singular() const { return kind.starts_with("neumann"); }

bool is_model_problem(const std::string& spec) {
  const auto colon = spec.find(':');
  return colon != 0 && colon != std::string::npos && spec.find('/', colon) == std::string::npos &&
         std::all_of(spec.begin(), spec.begin() + static_cast<std::ptrdiff_t>(colon), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
         });
}

ModelProblem parse_model_problem(const std::string& spec) {
  const auto colon = spec.find(':');
  const std::string kind_name = spec.substr(0, colon);
  const Kind* kind = find_kind(kind_name);
  if (!kind)
    refuse(fmt::format("unknown model problem '{}'; did you mean {}?", kind_name, nearest_kind(kind_name)), spec);
  if (colon == std::string::npos) refuse(fmt::format("extents are missing; expected {}", spelling(*kind)), spec);

  ModelProblem problem{kind->name, {}, {}};
  const auto parts = split(std::string_view(spec).substr(colon + 1), ',');
  problem.extent = parse_extent(parts.front(), *kind, spec);
  for (std::size_t p = 1; p < parts.size(); ++p) {
    if (!problem.parameters.empty()) refuse(fmt::format("{} is given twice", kind->parameter), spec);
    parse_parameter(parts[p], *kind, problem, spec);
  }
  if (kind->parameter) problem.parameters.try_emplace(kind->parameter, kind->standard);
  checked_rows(problem, spec);
  return problem;
}

Grid grid_of(const ModelProblem& problem) {
  Grid grid;
  std::copy(problem.extent.begin(), problem.extent.end(), grid.points.begin());
  if (problem.kind == "elasticity3d") {
    ++grid.points[1];
    ++grid.points[2];
  }
  return grid;
}

template <class T>
RowBlock<T> generate(const Context& context, const ModelProblem& problem) {
  const GlobalIndex n = problem.rows();
  const BlockRange slabs{n, context.size()};
  constexpr GlobalIndex limit = std::numeric_limits<LocalIndex>::max();
  if (slabs.size(0) > limit)
    throw Error(ErrorKind::limit,
                fmt::format("has {} rows on a rank, the limit is {}; use at least {} ranks", slabs.size(0), limit,
                            n / limit + 1),
                problem.name());
  const double row_bytes = 8 + static_cast<double>(row_width(problem)) * (sizeof(GlobalIndex) + sizeof(T));
  require_memory(*context.comm, static_cast<double>(slabs.size(0)) * row_bytes, fmt::format("a matrix of {} rows", n),
                 problem.name());
  RowBlock<T> block;
  Offset vanished = 0;
  agree(*context.comm, [&] {
    const auto count = static_cast<LocalIndex>(slabs.size(context.rank()));
    block.n_rows = block.n_cols = n;
    block.row_begin = slabs.begin(context.rank());
    block.offsets.reserve(static_cast<std::size_t>(count) + 1);
    block.column.reserve(static_cast<std::size_t>(count) * row_width(problem));
    block.value.reserve(static_cast<std::size_t>(count) * row_width(problem));
    if (problem.kind == "elasticity3d")
      append_elasticity_rows(block, problem, block.row_begin, count);
    else
      vanished = append_stencil_rows(block, problem, block.row_begin, count);
  });
  note_underflow<T>(context, vanished, problem.name());
  return block;
}

std::vector<double> coordinates(const ModelProblem& problem, GlobalIndex begin, LocalIndex count) {
  const Grid grid = grid_of(problem);
  const int unknowns = problem.unknowns_per_point();
  const GlobalIndex first = problem.kind == "elasticity3d" ? 1 : 0; // x = 0 is clamped
  const std::size_t dimensions = problem.extent.size();
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(count) * dimensions);
  for (GlobalIndex row = begin; row < begin + count; ++row) {
    GridPoint p = grid.point(row / unknowns);
    p[0] += first;
    for (std::size_t axis = 0; axis < dimensions; ++axis) result.push_back(static_cast<double>(p[axis]));
  }
  return result;
}

std::span<const ModelProblemKind> model_problem_kinds() { return kind_texts; }

template RowBlock<float> generate(const Context&, const ModelProblem&);
template RowBlock<double> generate(const Context&, const ModelProblem&);

} // namespace atl
