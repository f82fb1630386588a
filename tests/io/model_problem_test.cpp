// Model problems against theory: hand numbers, analytic spectra, null spaces.
#include <atoll/io/model_problem.hpp>

#include <atoll/comm/block_range.hpp>
#include <atoll/comm/virtual_cluster.hpp>

#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace atl {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RowBlock<double> whole(const std::string& spec) {
  return generate<double>(test::test_context(make_self_communicator()), parse_model_problem(spec));
}

MatrixXd dense(const std::string& spec) {
  const auto block = whole(spec);
  const auto values = test::to_dense(block);
  return Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>>(values.data(), block.n_rows, block.n_cols);
}

const char* const all_kinds[] = {"poisson1d:7",
                                 "poisson2d:5x4",
                                 "poisson3d:4x3x5",
                                 "poisson3d27:3x4x2",
                                 "neumann2d:4x5",
                                 "neumann3d:3x2x4",
                                 "diffusion3d:6x5x7,contrast=1000",
                                 "anisotropic2d:5x6,epsilon=0.01",
                                 "convection2d:6x5,peclet=10",
                                 "elasticity3d:2x3x2"};

TEST(ModelProblem, HandNumbers) {
  MatrixXd expected(6, 6);        // 3 x 2 points, x fastest
  expected << 4, -1, 0, -1, 0, 0, //
      -1, 4, -1, 0, -1, 0,        //
      0, -1, 4, 0, 0, -1,         //
      -1, 0, 0, 4, -1, 0,         //
      0, -1, 0, -1, 4, -1,        //
      0, 0, -1, 0, -1, 4;
  EXPECT_EQ(dense("poisson2d:3x2"), expected);

  MatrixXd neumann(4, 4);
  neumann << 2, -1, -1, 0, -1, 2, 0, -1, -1, 0, 2, -1, 0, -1, -1, 2;
  EXPECT_EQ(dense("neumann2d:2x2"), neumann);

  MatrixXd anisotropic(2, 2);
  anisotropic << 2.5, -0.25, -0.25, 2.5;
  EXPECT_EQ(dense("anisotropic2d:1x2,epsilon=0.25"), anisotropic);

  // Upwind: 10 cos 30 = 8.66, 10 sin 30 = 5 added towards where the flow comes from.
  const MatrixXd convection = dense("convection2d:2x2,peclet=10");
  EXPECT_DOUBLE_EQ(convection(1, 0), -1 - 5 * std::sqrt(3.0));
  EXPECT_DOUBLE_EQ(convection(0, 1), -1);
  EXPECT_NEAR(convection(2, 0), -6, 1e-14);
  EXPECT_DOUBLE_EQ(convection(0, 2), -1);
  EXPECT_NEAR(convection(0, 0), 4 + 5 * std::sqrt(3.0) + 5, 1e-13);

  // Checkerboard of single cells: harmonic mean 2 * 1 * 3 / 4 on every face, 2 k towards walls.
  const MatrixXd diffusion = dense("diffusion3d:2x1x1,contrast=3");
  EXPECT_EQ(diffusion(0, 1), -1.5);
  EXPECT_EQ(diffusion(0, 0), 1.5 + 5 * 2);
  EXPECT_EQ(diffusion(1, 1), 1.5 + 5 * 6);
  EXPECT_EQ(dense("poisson3d27:3x3x3").row(13).sum(), 0); // 26 neighbours all round
}

VectorXd poisson_1d_spectrum(int n) {
  VectorXd values(n);
  for (int k = 0; k < n; ++k) values(k) = 2 - 2 * std::cos((k + 1) * std::numbers::pi / (n + 1));
  return values;
}

VectorXd neumann_1d_spectrum(int n) {
  VectorXd values(n);
  for (int k = 0; k < n; ++k) values(k) = 2 - 2 * std::cos(k * std::numbers::pi / n);
  return values;
}

/// Eigenvalues of a sum of one-dimensional operators: all sums, ascending.
std::vector<double> sums(const std::vector<VectorXd>& directions) {
  std::vector<double> result{0};
  for (const auto& direction : directions) {
    std::vector<double> next;
    for (const double a : result)
      for (const double b : direction) next.push_back(a + b);
    result = next;
  }
  std::sort(result.begin(), result.end());
  return result;
}

void expect_spectrum(const std::string& spec, const std::vector<double>& expected) {
  const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(dense(spec), Eigen::EigenvaluesOnly);
  ASSERT_EQ(eigen.eigenvalues().size(), std::ssize(expected)) << spec;
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(eigen.eigenvalues()(static_cast<Eigen::Index>(i)), expected[i], 1e-12) << spec;
}

TEST(ModelProblem, AnalyticSpectra) {
  const auto p = poisson_1d_spectrum;
  const auto q = neumann_1d_spectrum;
  expect_spectrum("poisson1d:9", sums({p(9)}));
  expect_spectrum("poisson2d:6x5", sums({p(6), p(5)}));
  expect_spectrum("poisson3d:4x3x5", sums({p(4), p(3), p(5)}));
  expect_spectrum("neumann2d:4x5", sums({q(4), q(5)}));
  expect_spectrum("neumann3d:3x2x4", sums({q(3), q(2), q(4)}));
  expect_spectrum("anisotropic2d:5x6,epsilon=0.01", sums({p(5), 0.01 * p(6)}));
}

// The 27-point stencil is 27 I minus a product of (1, 1, 1) stencils, whose eigenvalues are 3 minus those of (-1, 2, -1).
TEST(ModelProblem, SpectrumOfThe27PointStencil) {
  std::vector<double> expected;
  for (const double a : poisson_1d_spectrum(3))
    for (const double b : poisson_1d_spectrum(4))
      for (const double c : poisson_1d_spectrum(2)) expected.push_back(27 - (3 - a) * (3 - b) * (3 - c));
  std::sort(expected.begin(), expected.end());
  expect_spectrum("poisson3d27:3x4x2", expected);
}

TEST(ModelProblem, SymmetryAndSignsAreAsPromised) {
  for (const std::string spec : all_kinds) {
    const auto problem = parse_model_problem(spec);
    const MatrixXd a = dense(spec);
    EXPECT_EQ(a == a.transpose(), problem.symmetric()) << spec;
    const double scale = a.cwiseAbs().maxCoeff();
    if (problem.singular()) {
      EXPECT_EQ((a * VectorXd::Ones(a.cols())).norm(), 0) << spec;
    }
    if (!problem.symmetric()) continue;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(a, Eigen::EigenvaluesOnly);
    const VectorXd values = eigen.eigenvalues() / scale;
    EXPECT_GT(values(problem.singular() ? 1 : 0), 1e-6) << spec; // definite, apart from one null vector
    if (problem.singular()) {
      EXPECT_NEAR(values(0), 0, 1e-13) << spec;
    }
  }
}

TEST(ModelProblem, SlabsOfAnyNumberOfRanksAreTheSameMatrix) {
  for (const std::string spec : all_kinds) {
    const auto expected = whole(spec);
    EXPECT_EQ(expected.n_rows, parse_model_problem(spec).rows()) << spec;
    for (const int ranks : {2, 3, 7, 64})
      run_virtual_cluster(ranks, [&](CommunicatorPtr comm) {
        const auto slab = generate<double>(test::test_context(comm), parse_model_problem(spec));
        validate(*comm, slab);
        EXPECT_EQ(slab.row_begin, (BlockRange{slab.n_rows, ranks}.begin(comm->rank())));
        const auto all = test::gather_rows(*comm, slab);
        EXPECT_EQ(all.offsets, expected.offsets) << spec << ranks;
        EXPECT_EQ(all.column, expected.column) << spec << ranks;
        EXPECT_EQ(all.value, expected.value) << spec << ranks;
      });
  }
}

TEST(ModelProblem, ColumnsAscend) {
  for (const std::string spec : all_kinds) {
    const auto block = whole(spec);
    for (LocalIndex i = 0; i < block.rows(); ++i)
      EXPECT_TRUE(std::is_sorted(block.column.begin() + block.offsets[i], block.column.begin() + block.offsets[i + 1],
                                 std::less_equal<>()) ||
                  block.offsets[i + 1] - block.offsets[i] < 2)
          << spec;
  }
}

// Away from the clamp a body at rest feels no force under translations and small rotations.
TEST(ModelProblem, RigidBodyModesOfElasticity) {
  const auto problem = parse_model_problem("elasticity3d:4x3x2");
  const MatrixXd a = dense(problem.name());
  const auto n = static_cast<LocalIndex>(problem.rows());
  const auto points = coordinates(problem, 0, n);
  MatrixXd modes = MatrixXd::Zero(n, 6);
  for (LocalIndex row = 0; row < n; ++row) {
    const double* x = &points[3 * static_cast<std::size_t>(row)];
    const int axis = row % 3, next = (axis + 1) % 3, after = (axis + 2) % 3;
    modes(row, axis) = 1;
    modes(row, 3 + after) = x[next] * -1; // rotation about the axis `after`: (x, y) -> (-y, x)
    modes(row, 3 + next) = x[after];
  }
  const MatrixXd forces = a * modes;
  int free_rows = 0;
  for (LocalIndex row = 0; row < n; ++row) {
    if (points[3 * static_cast<std::size_t>(row)] < 2) continue; // x = 1 touches the clamp
    ++free_rows;
    EXPECT_LT(forces.row(row).cwiseAbs().maxCoeff(), 1e-13);
  }
  EXPECT_EQ(free_rows, 3 * 3 * 4 * 3);
  EXPECT_GT(forces.cwiseAbs().maxCoeff(), 0.01); // the clamp holds
}

// Uniaxial stress: u = (x, -nu y, -nu z) loads only the faces at the ends; the rest of the body is at rest.
TEST(ModelProblem, PatchTestOfElasticity) {
  const auto problem = parse_model_problem("elasticity3d:3x2x2");
  const auto n = static_cast<LocalIndex>(problem.rows());
  const auto points = coordinates(problem, 0, n);
  VectorXd u(n);
  for (LocalIndex row = 0; row < n; ++row)
    u(row) = points[3 * static_cast<std::size_t>(row) + row % 3] * (row % 3 ? -0.3 : 1.0);
  const VectorXd force = dense(problem.name()) * u;
  double pull = 0;
  for (LocalIndex row = 0; row < n; ++row) {
    const double x = points[3 * static_cast<std::size_t>(row)];
    if (x < 2) continue;
    if (x == 3 && row % 3 == 0)
      pull += force(row);
    else
      EXPECT_NEAR(force(row), 0, 1e-14);
  }
  // Strain 3 grid steps of h = 1/3 over a length of 1: stress 3 (in units of u per x), area (2/3)^2.
  EXPECT_NEAR(pull, 3 * 4.0 / 9.0, 1e-13);
}

TEST(ModelProblem, CoordinatesAreGridIndices) {
  EXPECT_EQ(coordinates(parse_model_problem("poisson2d:3x2"), 1, 3), (std::vector<double>{1, 0, 2, 0, 0, 1}));
  EXPECT_EQ(coordinates(parse_model_problem("poisson3d:2x2x2"), 6, 2), (std::vector<double>{0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(coordinates(parse_model_problem("elasticity3d:1x1x1"), 2, 2), (std::vector<double>{1, 0, 0, 1, 1, 0}));
}

TEST(ModelProblem, NamesParseBack) {
  EXPECT_EQ(parse_model_problem("diffusion3d:2x3x4").name(), "diffusion3d:2x3x4,contrast=1000000");
  for (const std::string spec : all_kinds) {
    const auto problem = parse_model_problem(spec);
    const auto again = parse_model_problem(problem.name());
    EXPECT_EQ(again.kind, problem.kind);
    EXPECT_EQ(again.extent, problem.extent);
    EXPECT_EQ(again.parameters, problem.parameters);
  }
  EXPECT_EQ(model_problem_kinds().size(), std::size(all_kinds));
}

TEST(ModelProblem, TellsSpecsFromFileNames) {
  for (const char* spec : {"poisson2d:3x3", "poison2d:3", "abc:"}) EXPECT_TRUE(is_model_problem(spec)) << spec;
  for (const char* spec : {"A.mtx", "/tmp/a:b", "dir/poisson2d:3x3", ":3", "", "a b:3"})
    EXPECT_FALSE(is_model_problem(spec)) << spec;
}

TEST(ModelProblem, SaysWhatIsWrongWithASpec) {
  const auto expect_error = [](const std::string& spec, ErrorKind kind, const std::string& words) {
    try {
      parse_model_problem(spec);
      ADD_FAILURE() << "no error for " << spec;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << spec;
      EXPECT_NE(error.line().find(words), std::string::npos) << error.line();
    }
  };
  expect_error("poison2d:3x3", ErrorKind::usage, "did you mean poisson2d?");
  expect_error("poisson2d", ErrorKind::usage, "poisson2d:NXxNY");
  expect_error("poisson2d:3", ErrorKind::usage, "1 extents given, 2 expected");
  expect_error("poisson2d:3x3x3", ErrorKind::usage, "3 extents given");
  for (const char* extent : {"0x3", "-1x3", "3x", "x", "", "3.5x3", "3X3", "99999999999999999999x3", " 3x3"})
    expect_error(std::string("poisson2d:") + extent, ErrorKind::usage, "number of points");
  expect_error("poisson2d:3x3,epsilon=1", ErrorKind::usage, "takes no parameter");
  expect_error("anisotropic2d:3x3,epsilom=1", ErrorKind::usage, "did you mean epsilon=?");
  expect_error("anisotropic2d:3x3,epsilon", ErrorKind::usage, "epsilon=");
  expect_error("anisotropic2d:3x3,epsilon=1,epsilon=2", ErrorKind::usage, "twice");
  for (const char* value : {"0", "-1", "x", "", "nan", "inf", "1e300", "1 "})
    expect_error(std::string("anisotropic2d:3x3,epsilon=") + value, ErrorKind::usage, "no value of epsilon");
  expect_error("poisson3d:3000000x3000000x3000000", ErrorKind::limit, "2^63-1");
  expect_error("elasticity3d:1x9223372036854775807x1", ErrorKind::limit, "2^63-1");
}

TEST(ModelProblem, RefusesMoreRowsThanARankCanHold) {
  for (const int ranks : {1, 3})
    run_virtual_cluster(ranks, [](CommunicatorPtr comm) {
      try {
        generate<double>(test::test_context(comm), parse_model_problem("poisson2d:100000x100000"));
        ADD_FAILURE() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::limit);
        EXPECT_NE(error.line().find("2147483647; use at least 5 ranks"), std::string::npos) << error.line();
      }
    });
}

} // namespace
} // namespace atl
