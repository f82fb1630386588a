#include <atoll/comm/dvector.hpp>
#include <atoll/core/kernels.hpp>

namespace atl {

template <class T>
DVector<T>::DVector(const Context& context, IndexMapPtr map, LocalIndex columns)
    : map_(std::move(map)), columns_(columns), values_(context.executor, Offset{map_->n_local()} * columns) {
  fill(T{0});
}

template <class T>
void DVector<T>::fill(T value) {
  if (values_.size()) executor()->template kernels<T>().fill(values_.size(), value, values_.data());
}

template <class T>
void DVector<T>::set_owned(std::span<const T> host) {
  ensure(std::ssize(host) == owned_size(), "set_owned needs rows times columns values");
  if (!host.empty()) executor()->copy_from_host(host.data(), values_.data(), host.size_bytes());
}

template <class T>
void DVector<T>::get_owned(std::span<T> host) const {
  ensure(std::ssize(host) == owned_size(), "get_owned needs rows times columns places");
  if (!host.empty()) executor()->copy_to_host(values_.data(), host.data(), host.size_bytes());
}

template <class T>
std::vector<T> DVector<T>::owned_to_host() const {
  std::vector<T> host(static_cast<std::size_t>(owned_size()));
  get_owned(host);
  return host;
}

template class DVector<float>;
template class DVector<double>;

} // namespace atl
