// A program that embeds Atoll. It has its own MPI_Init, its own communicator and its own partition, as a CFD
// code has; it gives Atoll the rows that it owns, with global column numbers, and solves one system a time
// step: the same pattern each time, new values, the last field as the start.
//
// Heat flows out of a square plate whose edge is kept at 0. Implicit Euler on a 5-point grid:
//     (sigma + L) u_new = sigma u_old,   sigma = h^2 / dt,   L = the 5-point stencil (4, -1, -1, -1, -1).
// The first sine mode stays a sine mode; each step divides it by 1 + lambda / sigma. That is checked.
#include <atoll/atoll.hpp>

#include <cmath>
#include <cstdio>
#include <numbers>
#include <utility>
#include <vector>

namespace {

constexpr atl::GlobalIndex width = 60; // cells along x (numbered fastest) and along y

// This rank's grid lines [begin, end): any contiguous ranges that follow one another by rank will do.
struct Lines {
  atl::GlobalIndex begin, end;
};

Lines my_lines(int rank, int size) { return {width * rank / size, width * (rank + 1) / size}; }

// Calls visit(column, is_diagonal) for each entry of cell (x, y), in the order in which this program keeps
// them.
template <class Visit>
void for_each_entry(atl::GlobalIndex x, atl::GlobalIndex y, Visit visit) {
  const atl::GlobalIndex cell = y * width + x;
  visit(cell, true);
  if (x > 0) visit(cell - 1, false);
  if (x + 1 < width) visit(cell + 1, false);
  if (y > 0) visit(cell - width, false);
  if (y + 1 < width) visit(cell + width, false);
}

std::vector<double> values(Lines lines, double sigma) {
  std::vector<double> value;
  for (auto y = lines.begin; y < lines.end; ++y)
    for (atl::GlobalIndex x = 0; x < width; ++x)
      for_each_entry(x, y, [&](auto, bool diagonal) { value.push_back(diagonal ? sigma + 4 : -1); });
  return value;
}

atl::RowBlock<double> rows(Lines lines, double sigma) {
  atl::RowBlock<double> block;
  block.n_rows = block.n_cols = width * width;
  block.row_begin = lines.begin * width;
  for (auto y = lines.begin; y < lines.end; ++y)
    for (atl::GlobalIndex x = 0; x < width; ++x) {
      for_each_entry(x, y, [&](auto column, bool) { block.column.push_back(column); });
      block.offsets.push_back(block.entries());
    }
  block.value = values(lines, sigma);
  return block;
}

std::vector<double> first_mode(Lines lines) {
  const double angle = std::numbers::pi / (width + 1);
  std::vector<double> u;
  for (auto y = lines.begin; y < lines.end; ++y)
    for (atl::GlobalIndex x = 0; x < width; ++x)
      u.push_back(std::sin(angle * double(x + 1)) * std::sin(angle * double(y + 1)));
  return u;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b, MPI_Comm comm) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::fmax(largest, std::fabs(a[i] - b[i]));
  MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return largest;
}

int run(MPI_Comm comm) {
  int rank = 0, size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const Lines lines = my_lines(rank, size);

  const atl::Context context{atl::make_mpi_communicator(comm), atl::make_host_executor()};
  const std::vector<double> sigmas{0.5, 0.1, 0.02}; // ever longer time steps

  // The pattern once. keep_positions lets update_values() take new values in this program's own order.
  auto matrix = std::make_shared<atl::DSparseMatrix<double>>(
      atl::DSparseMatrix<double>::from_rows(context, rows(lines, sigmas[0]), -1, {.keep_positions = true}));
  atl::MatrixOperator<double> a(matrix);
  auto jacobi = atl::make_preconditioner<double>("jacobi");
  atl::Cg<double> cg;

  auto b = matrix->make_row_vector();
  auto x = matrix->make_col_vector();
  std::vector<double> u = first_mode(lines);
  std::vector<double> expected = u;
  x.set_owned(u);

  const double lambda = 4 - 4 * std::cos(std::numbers::pi / (width + 1));
  for (const double sigma : sigmas) {
    matrix->update_values(values(lines, sigma));
    jacobi->setup(*matrix);
    for (double& value : u) value *= sigma;
    b.set_owned(u);

    const atl::SolveResult result = cg.solve(a, *jacobi, b, x, {.rtol = 1e-12});
    if (!result.converged()) {
      if (rank == 0) std::fprintf(stderr, "heat: %s\n", std::string(atl::explain(result.reason)).c_str());
      return 1;
    }
    u = x.owned_to_host();
    for (double& value : expected) value *= sigma / (sigma + lambda);
    const double error = largest_difference(u, expected, comm);
    if (rank == 0) std::printf("sigma %.2f: %d iterations, error %.1e\n", sigma, result.iterations, error);
    if (error > 1e-9) return 1;
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm mine; // a coupled code would split here
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  int status = 1;
  try {
    status = run(mine);
  } catch (const atl::Error& error) { // the same on all ranks
    std::fprintf(stderr, "heat: %s\n", error.line().c_str());
  }
  MPI_Comm_free(&mine);
  MPI_Finalize();
  return status;
}
