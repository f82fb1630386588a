#include "bench_kernels.hpp"
#include "roofline_traffic.hpp"

#include <atoll/core/random.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/registry.hpp>

#include <algorithm>

namespace atl::app {

namespace {

constexpr int iterations_of_a_solve = 20, least_iterations = 3, most_solves = 50;

template <class T>
DVector<T> random_vector(const DSparseMatrix<T>& a) {
  DVector<T> b = a.make_row_vector();
  std::vector<T> values(static_cast<std::size_t>(b.owned_size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] =
        static_cast<T>(hash_uniform(1, static_cast<std::uint64_t>(a.row_map()->owned_begin()) + std::uint64_t{i}));
  b.set_owned(values);
  return b;
}

} // namespace

void IterationClock::iteration(int number, double residual_norm, double reference_norm) {
  if (number > last_ && last_ >= 0) seconds_.push_back(since_.seconds());
  last_ = number;
  since_.restart();
  listener_->iteration(number, residual_norm, reference_norm);
}

std::vector<double> IterationClock::take() {
  last_ = -1;
  return std::exchange(seconds_, {});
}

template <class T>
void bench_iteration(BenchMeter& meter, IterationClock& clock, const std::string& name,
                     const std::shared_ptr<const DSparseMatrix<T>>& a) {
  if (a->rows() != a->cols() || a->rows() == 0) return meter.skip(1);
  Communicator& comm = *meter.context().comm;
  MatrixOperator<T> a_operator(a);
  const auto jacobi = make_preconditioner<T>("jacobi");
  jacobi->setup(*a);
  const DVector<T> b = random_vector(*a);
  DVector<T> x = a->make_col_vector();
  Stopping stopping{.rtol = 0, .max_iterations = iterations_of_a_solve};
  Cg<T> cg;

  std::vector<double> seconds;
  const Timer timer;
  for (int solves = 0; solves < most_solves; ++solves) {
    clock.take();
    x.fill(T{0});
    const SolveResult result = cg.solve(a_operator, *jacobi, b, x, stopping);
    const std::vector<double> steps = clock.take();
    seconds.insert(seconds.end(), steps.begin(), steps.end());
    if (result.iterations < least_iterations || comm.all_reduce(timer.seconds(), ReduceOp::max) > meter.budget())
      break;
  }
  if (comm.all_reduce(std::ssize(seconds), ReduceOp::min) < least_iterations) return meter.skip(1);
  comm.all_reduce(std::span<double>(seconds), ReduceOp::max);
  const auto middle = seconds.begin() + std::ssize(seconds) / 2;
  std::nth_element(seconds.begin(), middle, seconds.end());
  meter.timed({.kernel = "cg iteration", .matrix = name, .storage = a->packed() ? "least_bytes" : "csr"},
              cg_traffic(*a, *jacobi), *middle);
}

template void bench_iteration(BenchMeter&, IterationClock&, const std::string&,
                              const std::shared_ptr<const DSparseMatrix<float>>&);
template void bench_iteration(BenchMeter&, IterationClock&, const std::string&,
                              const std::shared_ptr<const DSparseMatrix<double>>&);

} // namespace atl::app
