#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

/// Hestenes & Stiefel (1952) with a preconditioner: Saad, Iterative Methods for Sparse Linear Systems (2003),
/// algorithm 9.1. w is A p; delta is p'Ap.
template <class T>
Leave textbook_sweep(CgRun<T>& run) {
  auto& work = run.work;
  DVector<T>&r = work.r, &u = work.u, &p = work.p, &w = work.w;
  const Offset n = r.owned_size();
  Executor& executor = *run.a.context().executor;
  run.clear_state();
  run.kernels.fill(n, T{0}, p.data());
  for (;;) {
    run.m.apply(r, u);
    const DotPair<T> residual_pairs[] = {{r.data(), r.data()}, {r.data(), u.data()}};
    run.dots(n, residual_pairs, squared_residual);
    run.reduce(squared_residual, gamma + 1);
    if (const auto leave = run.check_residual()) return *leave;
    if (const auto leave = run.check_preconditioner()) return *leave;

    run.kernels.quotient(run.scalar(gamma), run.scalar(state), run.scalar(beta)); // 0 in the first step
    executor.copy_within(run.scalar(gamma), run.scalar(state), sizeof(double));
    run.kernels.xpby(n, u.data(), run.scalar(beta), p.data());
    run.a.apply(p, w);
    const DotPair<T> curvature_pair{p.data(), w.data()};
    run.dots(n, std::span(&curvature_pair, 1), delta);
    run.reduce(delta, stop_request + 1);
    if (const auto leave = run.check_curvature(work.host[delta]))
      return *leave == Leave::nan ? *leave : run.prove_curvature(p, w);

    run.kernels.quotient(run.scalar(gamma), run.scalar(delta), run.scalar(alpha));
    run.kernels.axpy(n, run.scalar(alpha), p.data(), run.x.data());
    run.kernels.axpy(n, run.scalar(minus_alpha), w.data(), r.data());
    run.count_step();
  }
}

template Leave textbook_sweep(CgRun<float>&);
template Leave textbook_sweep(CgRun<double>&);

} // namespace atl
