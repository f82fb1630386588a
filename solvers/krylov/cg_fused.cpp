#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

/// Chronopoulos & Gear, J. Comput. Appl. Math. 25 (1989) 153, with A p and A u computed where they are needed and not
/// stored, so that an iteration is one pass over memory: u, p, x are read and written, and the packed matrix is read.
/// The diagonal preconditioner d is folded into u = d .* r, which takes the place of r.
template <class T>
Leave fused_sweep(CgRun<T>& run) {
  auto& work = run.work;
  CgSweep<T>& sweep = work.sweep;
  const DSparseMatrix<T>& a = *run.a.matrix();
  const LocalIndex ghosts = a.col_map()->n_ghosts();
  DVector<T>&u = work.r, &p = work.p;
  run.clear_state();
  run.kernels.fill(p.local_size(), T{0}, p.data());
  run.m.apply(u, u);
  sweep.set_diagonal(run.m.diagonal() ? run.m.diagonal()->data() : nullptr);
  sweep.u = u.data();
  sweep.p = p.data();
  sweep.x = run.x.data();

  bool all = true;
  for (;;) {
    auto halo = a.halo().start_forward(u);
    run.kernels.cg_sweep_dots(sweep, all);
    halo.finish();
    run.kernels.cg_sweep_finish(sweep, run.scalar(squared_residual));
    all = false;
    run.reduce(squared_residual, stop_request + 1);
    if (const auto leave = run.advance()) {
      if (*leave != Leave::lost_curvature) return *leave;
      run.kernels.xpby(u.owned_size(), u.data(), run.scalar(beta), p.data());
      run.a.apply(p, u);
      return run.prove_curvature(p, u);
    }
    run.kernels.cg_sweep(sweep, ghosts, run.scalar(alpha), run.scalar(beta));
    run.count_step();
  }
}

template Leave fused_sweep(CgRun<float>&);
template Leave fused_sweep(CgRun<double>&);

} // namespace atl
