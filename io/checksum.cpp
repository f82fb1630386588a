#include <atoll/io/checksum.hpp>

namespace atl {

std::uint64_t sum_over_ranks(Communicator& comm, std::uint64_t mine) {
  // Halves, so that no sum of a signed type overflows.
  std::int64_t halves[2] = {static_cast<std::int64_t>(mine & 0xffffffffu),
                            static_cast<std::int64_t>(mine >> 32)};
  comm.all_reduce(halves, ReduceOp::sum);
  return static_cast<std::uint64_t>(halves[0]) + (static_cast<std::uint64_t>(halves[1]) << 32);
}

} // namespace atl
