#include "symmetric.hpp"

#include <atoll/core/random.hpp>

#include <bit>

namespace atl::app {

namespace {

/// Of an entry, or of its mirror.
std::uint64_t entry_hash(std::uint64_t seed, GlobalIndex i, GlobalIndex j, double value) {
  const std::uint64_t row = hash_bits(seed ^ static_cast<std::uint64_t>(i));
  const std::uint64_t place = hash_bits(row ^ static_cast<std::uint64_t>(j));
  return hash_bits(place ^ std::bit_cast<std::uint64_t>(value));
}

/// Sum over the entries of hash - hash of the mirror, modulo 2^64: zero where they are the same set.
std::uint64_t difference(const RowBlock<double>& rows, std::uint64_t seed) {
  std::uint64_t sum = 0;
  for (LocalIndex r = 0; r < rows.rows(); ++r) {
    const GlobalIndex i = rows.row_begin + r;
    for (auto e = static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(r)]);
         e < static_cast<std::size_t>(rows.offsets[static_cast<std::size_t>(r) + 1]); ++e)
      if (const GlobalIndex j = rows.column[e]; i != j)
        sum += entry_hash(seed, i, j, rows.value[e]) - entry_hash(seed, j, i, rows.value[e]);
  }
  return sum;
}

} // namespace

bool is_exactly_symmetric(Communicator& comm, const RowBlock<double>& rows) {
  if (rows.n_rows != rows.n_cols) return false;
  constexpr std::uint64_t seeds[2] = {0x243f6a8885a308d3, 0x13198a2e03707344};
  // Sums of 32-bit halves, so that the reduction need not wrap.
  std::int64_t halves[4];
  for (int k = 0; k < 2; ++k) {
    const std::uint64_t sum = difference(rows, hash_bits(seeds[k]));
    halves[2 * k] = static_cast<std::int64_t>(sum & 0xffffffff);
    halves[2 * k + 1] = static_cast<std::int64_t>(sum >> 32);
  }
  comm.all_reduce(std::span<std::int64_t>(halves), ReduceOp::sum);
  const auto whole = [&](int k) {
    return static_cast<std::uint64_t>(halves[2 * k]) + (static_cast<std::uint64_t>(halves[2 * k + 1]) << 32);
  };
  return whole(0) == 0 && whole(1) == 0;
}

} // namespace atl::app
