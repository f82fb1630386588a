#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

template <class T>
CgWorkspace<T>::CgWorkspace(const LinearOperator<T>& a, CgForm wanted)
    : scalars(a.context().executor, n_scalars), form(wanted), rows_(a.row_map()), cols_(a.col_map()) {
  // Whatever A is applied to has places for ghosts.
  const auto vector = [&](bool ghosts) { return DVector<T>(a.context(), ghosts ? cols_ : rows_); };
  r = vector(form == CgForm::fused);
  const bool one_product = form == CgForm::single_reduction || form == CgForm::pipelined; // and not of p
  p = vector(!one_product);
  if (form == CgForm::fused) {
    matrix = a.matrix();
    sweep = CgSweep<T>(matrix->split(), a.context().executor->template kernels<T>().threads());
    return;
  }
  u = vector(form == CgForm::single_reduction);
  w = vector(false);
  if (one_product) s = vector(false);
  if (form != CgForm::pipelined) return;
  m = vector(true);
  for (DVector<T>* v : {&am, &q, &z}) *v = vector(false);
}

namespace {

/// One pass over memory needs the matrix itself, packed, and a preconditioner that works row by row.
template <class T>
CgForm form_of(CgVariant variant, const LinearOperator<T>& a, const Preconditioner<T>& m) {
  if (variant == CgVariant::textbook) return CgForm::textbook;
  if (variant == CgVariant::pipelined) return CgForm::pipelined;
  const bool fuses = a.matrix() && a.matrix()->packed() && (m.is_identity() || m.diagonal());
  return fuses ? CgForm::fused : CgForm::single_reduction;
}

template <class T>
Leave sweep(CgRun<T>& run) {
  switch (run.work.form) {
  case CgForm::textbook:
    return textbook_sweep(run);
  case CgForm::single_reduction:
    return single_reduction_sweep(run);
  case CgForm::fused:
    return fused_sweep(run);
  case CgForm::pipelined:
    return pipelined_sweep(run);
  }
  return Leave::breakdown;
}

} // namespace

template <class T>
SolveResult Cg<T>::solve(LinearOperator<T>& a, Preconditioner<T>& m, const DVector<T>& b, DVector<T>& x,
                         const Stopping& stopping, const NullSpace<T>& null_space) {
  if (a.row_map()->global_size() != a.col_map()->global_size())
    throw Error(ErrorKind::usage, "conjugate gradients need a square matrix, this one is " +
                                      std::to_string(a.row_map()->global_size()) + " x " +
                                      std::to_string(a.col_map()->global_size()));
  const double matrix_norm = a.norm_inf(); // first, while there are no vectors of the method
  const CgForm form = form_of(variant_, a, m);
  if (!work_ || !work_->fits(a, form)) work_ = std::make_shared<CgWorkspace<T>>(a, form);
  work_->exact.resize(reproducible_ ? n_scalars : 0);
  work_->sweep.exact = reproducible_ ? work_->exact.data() + squared_residual : nullptr;

  CgRun<T> run(a, m, b, x, stopping, null_space, *work_, matrix_norm);
  while (!run.done()) run.settle(run.timed(sweep<T>));
  return run.finish();
}

template <class T>
std::size_t Cg<T>::bytes() const {
  return work_ ? work_->bytes() : 0;
}

template <class T>
const char* Cg<T>::name(CgVariant variant) {
  switch (variant) {
  case CgVariant::single_reduction:
    return "cg";
  case CgVariant::textbook:
    return "cg-textbook";
  case CgVariant::pipelined:
    return "cg-pipelined";
  }
  return "cg";
}

template class Cg<float>;
template class Cg<double>;

} // namespace atl
