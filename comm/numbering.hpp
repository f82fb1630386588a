#pragma once

#include <atoll/comm/block_range.hpp>
#include <atoll/comm/context.hpp>

namespace atl {

/// The way back from global numbering (Atoll's, one contiguous range a rank) to original numbering (the input's).
/// original_index[i] is the original row of this rank's i-th owned row; empty means that both are the same.
struct Numbering {
  GlobalIndex n = 0;
  GlobalIndex owned_begin = 0;
  LocalIndex owned_count = 0;
  std::vector<GlobalIndex> original_index;

  bool identity() const { return original_index.empty(); }
  GlobalIndex original(LocalIndex i) const {
    return identity() ? owned_begin + i : original_index[static_cast<std::size_t>(i)];
  }
};

/// Values of this rank's owned rows, from equal slabs (BlockRange) in original numbering. `columns` values a row,
/// interleaved. Collective.
template <class T>
ATOLL_API std::vector<T> from_original(const Context& context, const Numbering& numbering, std::span<const T> slab,
                                       LocalIndex columns = 1);

/// The other way: equal slabs in original numbering, from this rank's owned rows. Collective.
template <class T>
ATOLL_API std::vector<T> to_original(const Context& context, const Numbering& numbering, std::span<const T> owned,
                                     LocalIndex columns = 1);

} // namespace atl
