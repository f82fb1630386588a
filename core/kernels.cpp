#include <atoll/core/kernels.hpp>

namespace atl {

namespace {

[[noreturn]] void throw_unpacked() {
  throw Error(ErrorKind::internal, "this executor keeps matrices in plain rows: it has no kernels for packed ones");
}

} // namespace

template <class T>
void Kernels<T>::packed_multiply(const PackedMatrix<T>&, LocalIndex, const T*, T*) {
  throw_unpacked();
}
template <class T>
void Kernels<T>::packed_residual(const PackedMatrix<T>&, const T*, const T*, T*) {
  throw_unpacked();
}
template <class T>
void Kernels<T>::cg_sweep(CgSweep<T>&, LocalIndex, const Scalar*, const Scalar*) {
  throw_unpacked();
}
template <class T>
void Kernels<T>::cg_sweep_dots(CgSweep<T>&, bool) {
  throw_unpacked();
}
template <class T>
void Kernels<T>::cg_sweep_finish(CgSweep<T>&, Scalar*) {
  throw_unpacked();
}

template class Kernels<float>;
template class Kernels<double>;

} // namespace atl
