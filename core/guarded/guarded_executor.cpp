#include <atoll/core/executor.hpp>

#include <atoll/core/guarded/guarded_kernels.hpp>

#include <cstring>

namespace atl {

namespace {

class GuardedExecutor final : public Executor {
 public:
  std::string_view name() const override { return "guarded"; }
  bool host_accessible() const override { return false; }

  void copy_from_host(const void* host, void* device, std::size_t bytes) override {
    if (bytes == 0) return;
    ++statistics_.copies_from_host;
    memory_.require_outside("copy_from_host", {"host", host, bytes});
    memory_.require_inside("copy_from_host", {"device", device, bytes});
    const GuardedMemory::Open open(memory_);
    std::memcpy(device, host, bytes);
  }
  void copy_to_host(const void* device, void* host, std::size_t bytes) override {
    if (bytes == 0) return;
    ++statistics_.copies_to_host;
    memory_.require_inside("copy_to_host", {"device", device, bytes});
    memory_.require_outside("copy_to_host", {"host", host, bytes});
    const GuardedMemory::Open open(memory_);
    std::memcpy(host, device, bytes);
  }
  void copy_within(const void* from, void* to, std::size_t bytes) override {
    if (bytes == 0) return;
    memory_.require_inside("copy_within", {"from", from, bytes});
    memory_.require_inside("copy_within", {"to", to, bytes});
    const GuardedMemory::Open open(memory_);
    std::memmove(to, from, bytes);
  }
  void synchronize() override {}

 protected:
  void* do_allocate(std::size_t bytes) override { return memory_.allocate(bytes); }
  void do_deallocate(void* memory, std::size_t) noexcept override { memory_.deallocate(memory); }
  Kernels<float>& float_kernels() override { return float_; }
  Kernels<double>& double_kernels() override { return double_; }

 private:
  GuardedMemory memory_;
  GuardedKernels<float> float_{memory_};
  GuardedKernels<double> double_{memory_};
};

} // namespace

ExecutorPtr make_guarded_executor() { return std::make_shared<GuardedExecutor>(); }

} // namespace atl
