#pragma once

#include <atoll/comm/communicator.hpp>

#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>

namespace atl {

/// Mixes all bits of a word (SplitMix64's finaliser; Steele, Lea, Flood, 2014).
constexpr std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

/// The share of element `index` in the checksum of an array.
constexpr std::uint64_t element_hash(std::uint64_t index, std::uint64_t bits) {
  return mix(bits ^ mix(index + 0x9e3779b97f4a7c15u));
}

/// The stored bits of a 4- or 8-byte value, zeros above.
template <class T>
std::uint64_t bits_of(T value) {
  using Word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  return std::bit_cast<Word>(value);
}

/// Sum over the elements of element_hash, modulo 2^64: it does not depend on the order of summation, so each
/// rank sums its own slab and any cut of the array gives the same number. `first` is the index of values[0].
template <class T>
std::uint64_t checksum(std::span<const T> values, std::uint64_t first) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += element_hash(first + i, bits_of(values[i]));
  return sum;
}

/// Adds up each of the sums over the ranks, modulo 2^64. Collective.
ATOLL_API void sum_over_ranks(Communicator& comm, std::span<std::uint64_t> sums);
ATOLL_API std::uint64_t sum_over_ranks(Communicator& comm, std::uint64_t mine);

} // namespace atl
