#pragma once

#include <cstdint>

namespace atl {

/// A well mixed 64-bit number for each input. Source: splitmix64, Steele, Lea & Flood, OOPSLA 2014.
constexpr std::uint64_t hash_bits(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1), a function of seed and index alone: a random vector filled by global index is the same
/// on any number of ranks.
constexpr double hash_uniform(std::uint64_t seed, std::uint64_t index) {
  const std::uint64_t bits = hash_bits(hash_bits(seed) ^ index);
  return static_cast<double>(bits >> 11) * 0x1.0p-52 - 1.0; // 53 bits in [0, 2), less 1
}

} // namespace atl
