#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

/// Chronopoulos & Gear, J. Comput. Appl. Math. 25 (1989) 153. An iteration moves, matrix and halo apart:
/// preconditioner r, u (and its own data); product u, w; dots r, u, w; update u, w, p, s, x, r and p, s, x,
/// r.
template <class T>
Leave single_reduction_sweep(CgRun<T>& run) {
  auto& work = run.work;
  DVector<T>&r = work.r, &u = work.u, &p = work.p, &w = work.w, &s = work.s;
  const Offset n = r.owned_size();
  run.clear_state();
  run.kernels.fill(n, T{0}, p.data());
  run.kernels.fill(n, T{0}, s.data());
  for (;;) {
    run.m.apply(r, u);
    run.a.apply(u, w);
    const DotPair<T> pairs[] = {{r.data(), r.data()}, {r.data(), u.data()}, {w.data(), u.data()}};
    run.dots(n, pairs, squared_residual);
    run.reduce(squared_residual, stop_request + 1);
    if (const auto leave = run.advance()) {
      if (*leave != Leave::lost_curvature) return *leave;
      run.kernels.xpby(n, u.data(), run.scalar(beta), p.data());
      run.kernels.copy(n, p.data(), u.data());
      run.a.apply(u, w);
      return run.prove_curvature(u, w);
    }
    run.kernels.cg_update(n, run.scalar(alpha), run.scalar(beta), u.data(), w.data(), p.data(), s.data(),
                          run.x.data(), r.data());
    run.count_step();
  }
}

template Leave single_reduction_sweep(CgRun<float>&);
template Leave single_reduction_sweep(CgRun<double>&);

} // namespace atl
