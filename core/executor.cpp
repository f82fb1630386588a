#include <atoll/core/executor.hpp>

#include <atoll/core/host/host_kernels.hpp>
#include <atoll/core/reference/reference_kernels.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <sys/mman.h>

namespace atl {

void* Executor::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  void* memory = do_allocate(bytes);
  if (!memory)
    throw Error(ErrorKind::environment,
                fmt::format("no memory for {} bytes on executor '{}', which holds {} bytes: use more ranks or a "
                            "smaller problem",
                            bytes, name(), statistics_.bytes_in_use));
  ++statistics_.allocations;
  statistics_.bytes_in_use += bytes;
  statistics_.bytes_peak = std::max(statistics_.bytes_peak, statistics_.bytes_in_use);
  return memory;
}

void Executor::deallocate(void* memory, std::size_t bytes) noexcept {
  if (!memory) return;
  statistics_.bytes_in_use -= bytes;
  do_deallocate(memory, bytes);
}

namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge_page = std::size_t{2} << 20;
/// From here on a rounding up to whole huge pages costs the resident memory less than a few percent.
constexpr std::size_t huge_threshold = 2 * huge_page;

/// Memory of the process, and the kernel tables that work on it.
template <template <class> class KernelTable>
class HostMemoryExecutor final : public Executor {
 public:
  template <class... Arguments>
  explicit HostMemoryExecutor(std::string_view name, Arguments... arguments)
      : name_(name), float_(arguments...), double_(arguments...) {}

  std::string_view name() const override { return name_; }
  bool host_accessible() const override { return true; }
  void copy_from_host(const void* host, void* device, std::size_t bytes) override {
    copy_within(host, device, bytes);
  }
  void copy_to_host(const void* device, void* host, std::size_t bytes) override { copy_within(device, host, bytes); }
  void copy_within(const void* from, void* to, std::size_t bytes) override {
    if (bytes) std::memmove(to, from, bytes);
  }
  void synchronize() override {}

 protected:
  void* do_allocate(std::size_t bytes) override {
    if (bytes > PTRDIFF_MAX) return nullptr;
    const std::size_t alignment = bytes >= huge_threshold ? huge_page : cache_line;
    const std::size_t whole_lines = (bytes + cache_line - 1) / cache_line * cache_line;
    void* memory = nullptr;
    if (posix_memalign(&memory, alignment, whole_lines) != 0) return nullptr;
    // Huge pages save most of the page faults and address look-ups of long arrays. A refusal does not matter.
    if (alignment == huge_page) madvise(memory, whole_lines, MADV_HUGEPAGE);
    return memory;
  }
  void do_deallocate(void* memory, std::size_t) noexcept override { std::free(memory); }
  Kernels<float>& float_kernels() override { return float_; }
  Kernels<double>& double_kernels() override { return double_; }

 private:
  std::string_view name_;
  KernelTable<float> float_;
  KernelTable<double> double_;
};

} // namespace

ExecutorPtr make_reference_executor() { return std::make_shared<HostMemoryExecutor<ReferenceKernels>>("reference"); }

ExecutorPtr make_host_executor(int threads) {
  if (threads < 1)
    throw Error(ErrorKind::usage, fmt::format("a host executor with {} threads: at least 1 is needed", threads));
  return std::make_shared<HostMemoryExecutor<HostKernels>>("host", threads);
}

} // namespace atl
