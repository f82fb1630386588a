#pragma once

#include <atoll/core/array.hpp>

namespace atl {

/// An array's values for host code to read: the array's own memory where host code may look, else a copy.
/// The array must outlive the view.
template <class T>
class HostView {
 public:
  explicit HostView(const Array<T>& array) {
    if (array.empty()) return;
    if (array.executor()->host_accessible()) {
      values_ = array.host();
    } else {
      copy_ = array.to_host();
      values_ = copy_;
    }
  }
  HostView(const HostView&) = delete;
  HostView& operator=(const HostView&) = delete;

  const T& operator[](Offset i) const { return values_[static_cast<std::size_t>(i)]; }
  bool empty() const { return values_.empty(); }
  std::span<const T> span() const { return values_; }

 private:
  std::vector<T> copy_;
  std::span<const T> values_;
};

} // namespace atl
