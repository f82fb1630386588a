#pragma once
/// Private to the generators of model problems.

#include <atoll/io/model_problem.hpp>

#include <array>

namespace atl {

using GridPoint = std::array<GlobalIndex, 3>;

/// Points numbered with x fastest; unused directions have one point.
struct Grid {
  GridPoint points{1, 1, 1};

  GlobalIndex size() const { return points[0] * points[1] * points[2]; }
  GlobalIndex index(const GridPoint& p) const { return p[0] + points[0] * (p[1] + points[1] * p[2]); }
  GridPoint point(GlobalIndex i) const {
    return {i % points[0], i / points[0] % points[1], i / points[0] / points[1]};
  }
  bool holds(const GridPoint& p) const {
    for (int axis = 0; axis < 3; ++axis)
      if (p[axis] < 0 || p[axis] >= points[axis]) return false;
    return true;
  }
  /// The point after p.
  void advance(GridPoint& p) const {
    if (++p[0] < points[0]) return;
    p[0] = 0;
    if (++p[1] < points[1]) return;
    p[1] = 0;
    ++p[2];
  }
};

/// The grid of unknowns' points: for elasticity without the clamped plane, numbered from 0.
Grid grid_of(const ModelProblem& problem);

/// Appends the rows [begin, begin + count) of the problem to an empty block. Returns how many values are zero in T,
/// but not in double.
template <class T>
Offset append_stencil_rows(RowBlock<T>& block, const ModelProblem& problem, GlobalIndex begin, LocalIndex count);
template <class T>
void append_elasticity_rows(RowBlock<T>& block, const ModelProblem& problem, GlobalIndex begin, LocalIndex count);

} // namespace atl
