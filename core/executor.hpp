#pragma once

#include <atoll/core/types.hpp>

#include <cstddef>
#include <memory>
#include <string_view>

namespace atl {

template <class T>
class Kernels;

/// Where data lives and where kernels run on it: a memory space, its copies, and a kernel table.
/// Data remember their executor; nothing here is global.
/// Copies and kernels of one executor run in the order in which they were called.
/// Errors     allocate() throws Error{environment} with the bytes asked for.
/// Threads    one executor belongs to one rank and is used by one thread at a time.
class ATOLL_API Executor {
 public:
  Executor() = default;
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  virtual ~Executor() = default;

  virtual std::string_view name() const = 0;
  /// Whether host code may dereference this executor's memory.
  virtual bool host_accessible() const = 0;

  void* allocate(std::size_t bytes);
  void deallocate(void* memory, std::size_t bytes) noexcept;

  virtual void copy_from_host(const void* host, void* device, std::size_t bytes) = 0;
  virtual void copy_to_host(const void* device, void* host, std::size_t bytes) = 0;
  virtual void copy_within(const void* from, void* to, std::size_t bytes) = 0;
  /// Waits until all that was queued has run.
  virtual void synchronize() = 0;

  template <class T>
  Kernels<T>& kernels();

  /// Counters of this executor since its creation.
  struct Statistics {
    std::size_t allocations = 0;    ///< calls of allocate()
    std::size_t bytes_in_use = 0;   ///< now
    std::size_t bytes_peak = 0;     ///< the most that were in use at once
    std::size_t copies_to_host = 0; ///< crossings of memory spaces; zero where host_accessible()
    std::size_t copies_from_host = 0;
  };
  const Statistics& statistics() const { return statistics_; }

 protected:
  virtual void* do_allocate(std::size_t bytes) = 0; ///< nullptr when there is no memory
  virtual void do_deallocate(void* memory, std::size_t bytes) noexcept = 0;
  virtual Kernels<float>& float_kernels() = 0;
  virtual Kernels<double>& double_kernels() = 0;

  Statistics statistics_;
};

template <>
inline Kernels<float>& Executor::kernels<float>() {
  return float_kernels();
}
template <>
inline Kernels<double>& Executor::kernels<double>() {
  return double_kernels();
}

using ExecutorPtr = std::shared_ptr<Executor>;

/// Plain loops in host memory: the oracle of tests.
ATOLL_API ExecutorPtr make_reference_executor();
/// Host memory, SIMD and OpenMP loops on `threads` threads.
ATOLL_API ExecutorPtr make_host_executor(int threads = 1);
/// "Device" memory on the host that only kernels and copies may touch: any other access is a SIGSEGV, a kernel
/// given memory of the wrong side throws Error{internal}, copies are counted. For testing device code paths.
ATOLL_API ExecutorPtr make_guarded_executor();

} // namespace atl
