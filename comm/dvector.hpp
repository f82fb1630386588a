#pragma once

#include <atoll/comm/context.hpp>
#include <atoll/comm/index_map.hpp>
#include <atoll/core/array.hpp>

namespace atl {

/// k vectors distributed by an IndexMap: this rank's owned rows, then its ghosts, in the executor's memory.
/// Layout     interleaved: entry (local row i, column c) is at i * columns() + c.
/// Ranks      local; ghosts hold what the last halo exchange brought.
template <class T>
class ATOLL_API DVector {
 public:
  DVector() = default;
  /// Zero-filled.
  DVector(const Context& context, IndexMapPtr map, LocalIndex columns = 1);

  const IndexMapPtr& map() const { return map_; }
  LocalIndex columns() const { return columns_; }
  Offset owned_size() const { return Offset{map_->n_owned()} * columns_; } ///< scalars: rows times columns
  Offset local_size() const { return values_.size(); }
  T* data() { return values_.data(); }
  const T* data() const { return values_.data(); }
  T* ghosts() { return values_.data() + owned_size(); }
  const ExecutorPtr& executor() const { return values_.executor(); }
  std::size_t bytes() const { return values_.bytes(); }

  void fill(T value);
  /// Owned rows from / to host memory, owned_size() values.
  void set_owned(std::span<const T> host);
  void get_owned(std::span<T> host) const;
  std::vector<T> owned_to_host() const;
  /// Direct view of the owned values; throws Error{internal} where host code may not look.
  std::span<T> owned_host() { return values_.host().first(static_cast<std::size_t>(owned_size())); }
  std::span<const T> owned_host() const { return values_.host().first(static_cast<std::size_t>(owned_size())); }

 private:
  IndexMapPtr map_;
  LocalIndex columns_ = 0;
  Array<T> values_;
};

extern template class DVector<float>;
extern template class DVector<double>;

} // namespace atl
