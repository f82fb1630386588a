#pragma once

#include <atoll/core/executor.hpp>

#include <limits>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace atl {

/// Owning array of trivially copyable T in an executor's memory. Moves; a copy is spelt clone().
/// data() may only be dereferenced by kernels; host code uses host() where the memory is host-accessible.
template <class T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  Array(ExecutorPtr executor, Offset size) : executor_(std::move(executor)), size_(size) {
    ensure(size >= 0 && size <= std::numeric_limits<Offset>::max() / Offset{sizeof(T)},
           "an array has between 0 and 2^63 bytes");
    data_ = static_cast<T*>(executor_->allocate(bytes()));
  }
  Array(ExecutorPtr executor, std::span<const T> host) : Array(std::move(executor), std::ssize(host)) {
    copy_from(host);
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array&& other) noexcept {
    Array(std::move(other)).swap(*this);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (data_) executor_->deallocate(data_, bytes());
  }

  Offset size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::size_t bytes() const { return static_cast<std::size_t>(size_) * sizeof(T); }
  const ExecutorPtr& executor() const { return executor_; }
  T* data() { return data_; }
  const T* data() const { return data_; }

  /// Direct view; throws Error{internal} where host code may not look.
  std::span<T> host() {
    require_host();
    return {data_, static_cast<std::size_t>(size_)};
  }
  std::span<const T> host() const {
    require_host();
    return {data_, static_cast<std::size_t>(size_)};
  }

  void copy_from(std::span<const T> host) {
    ensure(std::ssize(host) == size_, "Array::copy_from needs as many values as the array holds");
    if (size_) executor_->copy_from_host(host.data(), data_, bytes());
  }
  void copy_to(std::span<T> host) const {
    ensure(std::ssize(host) == size_, "Array::copy_to needs as many places as the array holds");
    if (size_) executor_->copy_to_host(data_, host.data(), bytes());
  }
  std::vector<T> to_host() const {
    std::vector<T> host(static_cast<std::size_t>(size_));
    copy_to(host);
    return host;
  }
  Array clone() const {
    if (!executor_) return {};
    Array copy(executor_, size_);
    if (size_) executor_->copy_within(data_, copy.data_, bytes());
    return copy;
  }
  void swap(Array& other) noexcept {
    std::swap(executor_, other.executor_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  void require_host() const {
    ensure(size_ == 0 || executor_->host_accessible(), "host access to the memory of a device");
  }

  ExecutorPtr executor_;
  T* data_ = nullptr;
  Offset size_ = 0;
};

} // namespace atl
