#include "fuzz_targets.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  atl::test::fuzz_store({reinterpret_cast<const char*>(data), size});
  return 0;
}
