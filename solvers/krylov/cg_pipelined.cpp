#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {
namespace {

/// Steps between replacements of what the recurrences carry. Each step multiplies the rounding of s, w, q and z: without
/// replacement the true residual stays orders of magnitude behind that of the other forms. With it, Poisson's equation
/// with jumps of 1e6 took within 5 % of their iterations to 1e-10; half as often, up to 60 % more.
template <class T>
constexpr int period = sizeof(T) < sizeof(double) ? 10 : 25;

template <class T>
void multiply(CgRun<T>& run, const DVector<T>& x, DVector<T>& y) {
  DVector<T>& with_ghosts = run.work.m;
  run.kernels.copy(x.owned_size(), x.data(), with_ghosts.data());
  run.a.apply(with_ghosts, y);
}

/// u, w and the dots, from r.
template <class T>
void follow_residual(CgRun<T>& run) {
  DVector<T>&r = run.work.r, &u = run.work.u, &w = run.work.w;
  run.m.apply(r, u);
  multiply(run, u, w);
  run.pipelined_dots();
}

/// All but x and p anew: Cools, Yetkin, Agullo, Giraud & Vanroose, SIAM J. Matrix Anal. Appl. 39 (2018) 426. Four
/// products.
template <class T>
void replace(CgRun<T>& run) {
  auto& work = run.work;
  run.residual_of_x();
  multiply(run, work.p, work.s);
  run.m.apply(work.s, work.q);
  multiply(run, work.q, work.z);
  follow_residual(run);
}

/// settle() and the proof of a preconditioner's sign need M^-1 r itself, not what the recurrence made of it.
template <class T>
Leave leave_with(CgRun<T>& run, Leave leave) {
  DVector<T>&r = run.work.r, &u = run.work.u, &p = run.work.p;
  if (leave == Leave::lost_curvature) {
    run.kernels.xpby(p.owned_size(), u.data(), run.scalar(beta), p.data());
    multiply(run, p, run.work.am);
    return run.prove_curvature(p, run.work.am);
  }
  run.m.apply(r, u);
  const DotPair<T> pair{r.data(), u.data()};
  run.dots(r.owned_size(), std::span(&pair, 1), gamma);
  run.reduce(gamma, gamma + 1);
  if (leave == Leave::indefinite_preconditioner) return run.check_preconditioner().value_or(Leave::lost_curvature);
  return leave;
}

} // namespace

/// Ghysels & Vanroose, Parallel Comput. 40 (2014) 224, algorithm 3: the reduction goes on while preconditioner and
/// product make what the next step needs, m = M^-1 w and A m. An iteration moves, matrix and halo apart:
/// preconditioner w, m (and its own data); product m, A m; update with its dots: ten vectors read, eight written.
/// With exact sums the reduction is not hidden.
template <class T>
Leave pipelined_sweep(CgRun<T>& run) {
  auto& work = run.work;
  const Offset n = work.r.owned_size();
  const PipelinedVectors<T> vectors{work.m.data(), work.am.data(), run.x.data(),  work.r.data(), work.u.data(),
                                    work.w.data(), work.p.data(),  work.s.data(), work.q.data(), work.z.data()};
  run.clear_state();
  for (T* carried : {vectors.p, vectors.s, vectors.q, vectors.z}) run.kernels.fill(n, T{0}, carried);
  follow_residual(run);
  for (int step = 1;; ++step) {
    auto sum = run.start_reduce(squared_residual, stop_request + 1);
    run.m.apply(work.w, work.m);
    run.a.apply(work.m, work.am);
    run.finish_reduce(sum);
    if (const auto leave = run.advance()) return leave_with(run, *leave);
    run.kernels.cg_pipelined_update(n, run.scalar(alpha), run.scalar(beta), vectors, run.scalar(squared_residual));
    run.count_step();
    if (step % period<T> == 0)
      replace(run);
    else if (run.sums_exactly())
      run.pipelined_dots();
  }
}

template Leave pipelined_sweep(CgRun<float>&);
template Leave pipelined_sweep(CgRun<double>&);

} // namespace atl
