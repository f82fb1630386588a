#include "fuzz_targets.hpp"

#include <cstddef>
#include <cstdint>

/// HDF5 forgets some of its memory when it gives up an altered file; that is its own.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  atl::test::fuzz_store({reinterpret_cast<const char*>(data), size});
  return 0;
}
