#include <atoll/io/model_grid.hpp>

#include <algorithm>
#include <cmath>

namespace atl {
namespace {

/// The six faces of a cell, in the order of the columns behind them: -z -y -x | +x +y +z.
constexpr int axis_of[6] = {2, 1, 0, 0, 1, 2};
constexpr int step_of[6] = {-1, -1, -1, 1, 1, 1};

/// What couples a cell to the one behind each face (a_ij = -coefficient), and to a wall there.
class Faces {
 public:
  Faces(const ModelProblem& problem, const Grid& grid)
      : grid_(grid), neumann_(problem.singular()), varies_(problem.kind == "diffusion3d") {
    for (int face = 0; face < 6; ++face)
      constant_[face] = axis_of[face] < static_cast<int>(problem.extent.size()) ? 1 : 0;
    if (problem.kind == "anisotropic2d") constant_[1] = constant_[4] = problem.parameters.at("epsilon");
    if (problem.kind == "convection2d") {
      // Flow towards +x and +y: the upwind neighbours are those at -x and -y.
      const double peclet = problem.parameters.at("peclet"), angle = std::acos(-1.0) / 6;
      constant_[2] += peclet * std::cos(angle);
      constant_[1] += peclet * std::sin(angle);
    }
    if (varies_) contrast_ = problem.parameters.at("contrast");
  }

  double coefficient(const GridPoint& p, const GridPoint& neighbour, int face, bool inside) const {
    if (!inside && neumann_) return 0;
    if (!varies_) return constant_[face];
    const double here = diffusivity(p);
    if (!inside) return 2 * here; // the wall is half a cell away
    const double there = diffusivity(neighbour);
    return 2 * here * there / (here + there);
  }

 private:
  /// A checkerboard of five blocks along each axis.
  double diffusivity(const GridPoint& p) const {
    GlobalIndex colour = 0;
    for (int axis = 0; axis < 3; ++axis) colour += p[axis] / std::max<GlobalIndex>(grid_.points[axis] / 5, 1);
    return colour % 2 ? contrast_ : 1;
  }

  const Grid& grid_;
  bool neumann_, varies_;
  double contrast_ = 1;
  double constant_[6];
};

/// One row of a 3-, 5- or 7-point stencil: the diagonal is the sum of the face coefficients. Returns how many of them
/// are too small for T.
template <class T>
Offset append_cell(RowBlock<T>& block, const Grid& grid, const Faces& faces, const GridPoint& p) {
  double coupling[6];
  GlobalIndex column[6];
  bool inside[6];
  for (int face = 0; face < 6; ++face) {
    GridPoint neighbour = p;
    neighbour[axis_of[face]] += step_of[face];
    inside[face] = grid.holds(neighbour);
    column[face] = grid.index(neighbour);
    coupling[face] = faces.coefficient(p, neighbour, face, inside[face]);
  }
  Offset vanished = 0;
  const auto append = [&](GlobalIndex j, double value) {
    block.column.push_back(j);
    block.value.push_back(static_cast<T>(value));
    vanished += value != 0 && block.value.back() == 0;
  };
  const double diagonal = (coupling[1] + coupling[2] + coupling[3] + coupling[4]) + (coupling[0] + coupling[5]);
  for (int face = 0; face < 3; ++face)
    if (inside[face]) append(column[face], -coupling[face]);
  append(grid.index(p), diagonal);
  for (int face = 3; face < 6; ++face)
    if (inside[face]) append(column[face], -coupling[face]);
  return vanished;
}

/// One row of the 27-point stencil.
template <class T>
void append_box(RowBlock<T>& block, const Grid& grid, const GridPoint& p) {
  for (GlobalIndex z = p[2] - 1; z <= p[2] + 1; ++z)
    for (GlobalIndex y = p[1] - 1; y <= p[1] + 1; ++y)
      for (GlobalIndex x = p[0] - 1; x <= p[0] + 1; ++x) {
        const GridPoint neighbour{x, y, z};
        if (!grid.holds(neighbour)) continue;
        block.column.push_back(grid.index(neighbour));
        block.value.push_back(static_cast<T>(neighbour == p ? 26 : -1));
      }
}

} // namespace

template <class T>
Offset append_stencil_rows(RowBlock<T>& block, const ModelProblem& problem, GlobalIndex begin, LocalIndex count) {
  Offset vanished = 0;
  const Grid grid = grid_of(problem);
  const Faces faces(problem, grid);
  const bool box = problem.kind == "poisson3d27";
  GridPoint p = grid.point(begin);
  for (LocalIndex row = 0; row < count; ++row, grid.advance(p)) {
    if (box)
      append_box(block, grid, p);
    else
      vanished += append_cell(block, grid, faces, p);
    block.offsets.push_back(block.entries());
  }
  return vanished;
}

template Offset append_stencil_rows(RowBlock<float>&, const ModelProblem&, GlobalIndex, LocalIndex);
template Offset append_stencil_rows(RowBlock<double>&, const ModelProblem&, GlobalIndex, LocalIndex);

} // namespace atl
