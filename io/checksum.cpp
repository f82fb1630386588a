#include <atoll/io/checksum.hpp>

#include <vector>

namespace atl {

void sum_over_ranks(Communicator& comm, std::span<std::uint64_t> sums) {
  // Halves, so that no sum of a signed type overflows.
  std::vector<std::int64_t> halves;
  for (const std::uint64_t sum : sums) {
    halves.push_back(static_cast<std::int64_t>(sum & 0xffffffffu));
    halves.push_back(static_cast<std::int64_t>(sum >> 32));
  }
  comm.all_reduce(halves, ReduceOp::sum);
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<std::uint64_t>(halves[2 * i]) + (static_cast<std::uint64_t>(halves[2 * i + 1]) << 32);
}

std::uint64_t sum_over_ranks(Communicator& comm, std::uint64_t mine) {
  sum_over_ranks(comm, std::span<std::uint64_t>(&mine, 1));
  return mine;
}

} // namespace atl
