#pragma once

#include <atoll/comm/row_block.hpp>

#include <map>
#include <optional>
#include <string>

namespace atl {

/// A parsed model problem such as "poisson2d:1000x1000" or "diffusion3d:50x50x50,contrast=1e6".
struct ATOLL_API ModelProblem {
  std::string kind;                         ///< poisson2d, poisson3d, poisson3d27, diffusion3d, ...
  std::vector<GlobalIndex> extent;          ///< points along x, y (, z), x fastest; elasticity3d: elements
  std::map<std::string, double> parameters; ///< contrast, epsilon, peclet; defaults filled in
  std::string name() const;                 ///< canonical spelling; parses back to the same problem
  GlobalIndex rows() const;
  int unknowns_per_point() const;
  bool symmetric() const; ///< the matrix equals its transpose
  bool singular() const;  ///< constants are in the null space
};

/// Whether `spec` looks like a model problem ("word:..."), to tell it from a file name: a word of letters and
/// digits, a colon, and then no slash.
ATOLL_API bool is_model_problem(const std::string& spec);
/// Errors: Error{usage} with the nearest known kind or parameter, or the extents expected; Error{limit} when
/// the rows exceed 64 bits. Local.
ATOLL_API ModelProblem parse_model_problem(const std::string& spec);

/// This rank's equal slab of rows (BlockRange), computed where it lives; columns ascending. Collective (one
/// agreement, since memory may run out). Errors: Error{limit} when a slab exceeds a LocalIndex.
template <class T>
ATOLL_API RowBlock<T> generate(const Context& context, const ModelProblem& problem);
/// Coordinates of the rows [begin, begin + count): grid indices, `extent.size()` values a row. The three
/// unknowns of an elasticity point repeat its coordinates.
ATOLL_API std::vector<double> coordinates(const ModelProblem& problem, GlobalIndex begin, LocalIndex count);

/// One line a kind: spelling, meaning, parameters. For --help and documentation.
struct ModelProblemKind {
  const char* spelling;
  const char* meaning;
};
ATOLL_API std::span<const ModelProblemKind> model_problem_kinds();

} // namespace atl
