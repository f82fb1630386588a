#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

/// Chronopoulos & Gear, J. Comput. Appl. Math. 25 (1989) 153. An iteration moves, matrix and halo apart:
/// preconditioner r, u (and its own data); product u, w; dots r, u, w; update u, w, p, s, x, r and p, s, x,
/// r.
template <class T>
Leave single_reduction_sweep(CgRun<T>& run) {
  auto& [r, u, p, w, s, projected_b, kept, scalars, host, variant] = run.work;
  const Offset n = r.owned_size();
  run.clear_state();
  run.kernels.fill(n, T{0}, p.data());
  run.kernels.fill(n, T{0}, s.data());
  for (;;) {
    run.m.apply(r, u);
    run.a.apply(u, w);
    const DotPair<T> pairs[] = {{r.data(), r.data()}, {r.data(), u.data()}, {w.data(), u.data()}};
    run.kernels.dots(n, pairs, run.scalar(squared_residual));
    run.reduce(squared_residual, stop_request + 1);
    if (const auto leave = run.check_residual()) return *leave;

    const double gamma_before = host[state], alpha_before = host[state + 1];
    run.kernels.cg_scalars(run.scalar(gamma), run.scalar(state), run.scalar(alpha), run.scalar(beta),
                           run.scalar(curvature));
    run.fetch_scalars();
    if (const auto leave = run.check_preconditioner()) return *leave;
    // p'Ap follows from the scalars as long as directions are conjugate. Rounding can spoil that, so a wrong sign is
    // proven on p itself before the matrix is blamed.
    const double carried = gamma_before == 0 ? 0 : host[gamma] / gamma_before * host[gamma] / alpha_before;
    if (const auto leave = run.check_curvature(host[delta] - carried)) {
      if (*leave == Leave::nan) return *leave;
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
