#include <atoll/solvers/krylov/cg_run.hpp>

namespace atl {

template <class T>
CgWorkspace<T>::CgWorkspace(const Context& context, const IndexMapPtr& rows, const IndexMapPtr& cols, CgVariant form)
    : r(context, rows), u(context, form == CgVariant::single_reduction ? cols : rows),
      p(context, form == CgVariant::single_reduction ? rows : cols), w(context, rows),
      scalars(context.executor, n_scalars), variant(form) {
  if (form == CgVariant::single_reduction) s = DVector<T>(context, rows);
}

template <class T>
SolveResult Cg<T>::solve(LinearOperator<T>& a, Preconditioner<T>& m, const DVector<T>& b, DVector<T>& x,
                         const Stopping& stopping, const NullSpace<T>& null_space) {
  if (a.row_map()->global_size() != a.col_map()->global_size())
    throw Error(ErrorKind::usage, "conjugate gradients need a square matrix, this one is " +
                                      std::to_string(a.row_map()->global_size()) + " x " +
                                      std::to_string(a.col_map()->global_size()));
  if (!work_ || work_->rows() != a.row_map() || work_->cols() != a.col_map() ||
      work_->r.executor() != a.context().executor)
    work_ = std::make_shared<CgWorkspace<T>>(a.context(), a.row_map(), a.col_map(), variant_);

  CgRun<T> run(a, m, b, x, stopping, null_space, *work_);
  while (!run.done())
    run.settle(variant_ == CgVariant::single_reduction ? single_reduction_sweep(run) : textbook_sweep(run));
  return run.finish();
}

template <class T>
std::size_t Cg<T>::bytes() const {
  return work_ ? work_->bytes() : 0;
}

template <class T>
const char* Cg<T>::name(CgVariant variant) {
  return variant == CgVariant::single_reduction ? "cg" : "cg-textbook";
}

template class Cg<float>;
template class Cg<double>;

} // namespace atl
