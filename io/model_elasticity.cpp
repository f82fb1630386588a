#include <atoll/io/model_grid.hpp>

#include <cmath>

namespace atl {
namespace {

constexpr double poisson_ratio = 0.3;

/// Corner c of an element lies at ((c & 1), (c >> 1 & 1), (c >> 2 & 1)).
constexpr int corner(int c, int axis) { return c >> axis & 1; }

/// Stiffness of a cube of edge h, trilinear, Young's modulus 1, by 2x2x2 Gauss points. Unknown 3c + a is
/// displacement a of corner c. Source: Hughes, The Finite Element Method (2000), ch. 3.
class ElementStiffness {
 public:
  explicit ElementStiffness(double h) {
    for (int gauss = 0; gauss < 8; ++gauss) add_gauss_point(gauss, h);
  }
  double operator()(int c, int a, int d, int b) const { return k_[3 * c + a][3 * d + b]; }

 private:
  void add_gauss_point(int gauss, double h) {
    constexpr double lambda = poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    constexpr double mu = 1 / (2 * (1 + poisson_ratio));
    double gradient[8][3];
    shape_gradients(gauss, h, gradient);
    const double weight = h * h * h / 8;
    // Products are bracketed so that the matrix is symmetric to the last bit.
    for (int c = 0; c < 8; ++c)
      for (int d = 0; d < 8; ++d) {
        double dot = 0;
        for (int axis = 0; axis < 3; ++axis) dot += gradient[c][axis] * gradient[d][axis];
        for (int a = 0; a < 3; ++a)
          for (int b = 0; b < 3; ++b)
            k_[3 * c + a][3 * d + b] += weight * (lambda * (gradient[c][a] * gradient[d][b]) +
                                                  mu * (gradient[c][b] * gradient[d][a]) + (a == b ? mu * dot : 0));
      }
  }

  static void shape_gradients(int gauss, double h, double (&gradient)[8][3]) {
    const double g = 1 / std::sqrt(3.0);
    for (int c = 0; c < 8; ++c)
      for (int axis = 0; axis < 3; ++axis) {
        double derivative = (corner(c, axis) ? 1 : -1) / 8.0 * (2 / h);
        for (int other = 0; other < 3; ++other)
          if (other != axis) derivative *= 1 + (corner(c, other) ? 1 : -1) * (corner(gauss, other) ? g : -g);
        gradient[c][axis] = derivative;
      }
  }

  double k_[24][24] = {};
};

/// The 3x3 blocks that couple one point to its 27 neighbours (itself in the middle), and which of them exist.
struct PointStencil {
  double block[27][3][3] = {};
  bool present[27] = {};
};

/// Sums the elements around the point; `elements` along each axis, point (0, ., .) is clamped.
PointStencil assemble_point(const ElementStiffness& stiffness, const GridPoint& elements, const GridPoint& p) {
  PointStencil stencil;
  for (int mine = 0; mine < 8; ++mine) { // the point is corner `mine` of the element
    GridPoint element = p;
    for (int axis = 0; axis < 3; ++axis) element[axis] -= corner(mine, axis);
    if (!Grid{elements}.holds(element)) continue;
    for (int other = 0; other < 8; ++other) {
      int s = 0;
      for (int axis = 2; axis >= 0; --axis) s = 3 * s + 1 + corner(other, axis) - corner(mine, axis);
      stencil.present[s] = true;
      for (int a = 0; a < 3; ++a)
        for (int b = 0; b < 3; ++b) stencil.block[s][a][b] += stiffness(mine, a, other, b);
    }
  }
  return stencil;
}

template <class T>
void append_unknown(RowBlock<T>& block, const Grid& grid, const PointStencil& stencil, const GridPoint& p,
                    int unknown) {
  for (int s = 0; s < 27; ++s) {
    const GridPoint neighbour{p[0] + s % 3 - 1, p[1] + s / 3 % 3 - 1, p[2] + s / 9 - 1};
    if (!stencil.present[s] || neighbour[0] < 1) continue; // clamped
    const GlobalIndex point = grid.index({neighbour[0] - 1, neighbour[1], neighbour[2]});
    for (int b = 0; b < 3; ++b) {
      block.column.push_back(3 * point + b);
      block.value.push_back(static_cast<T>(stencil.block[s][unknown][b]));
    }
  }
  block.offsets.push_back(block.entries());
}

} // namespace

template <class T>
void append_elasticity_rows(RowBlock<T>& block, const ModelProblem& problem, GlobalIndex begin, LocalIndex count) {
  const Grid grid = grid_of(problem);
  const GridPoint elements{problem.extent[0], problem.extent[1], problem.extent[2]};
  // The body is one unit long in x; its elements are cubes.
  const ElementStiffness stiffness(1.0 / static_cast<double>(elements[0]));
  PointStencil stencil;
  for (GlobalIndex row = begin; row < begin + count; ++row) {
    GridPoint p = grid.point(row / 3);
    ++p[0];
    if (row == begin || row % 3 == 0) stencil = assemble_point(stiffness, elements, p);
    append_unknown(block, grid, stencil, p, static_cast<int>(row % 3));
  }
}

template void append_elasticity_rows(RowBlock<float>&, const ModelProblem&, GlobalIndex, LocalIndex);
template void append_elasticity_rows(RowBlock<double>&, const ModelProblem&, GlobalIndex, LocalIndex);

} // namespace atl
