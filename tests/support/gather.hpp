#pragma once
/// The whole of a distributed thing on every rank, for comparison. For tests alone. All are collective.

#include <atoll/comm/communicator.hpp>
#include <atoll/comm/row_block.hpp>

#include <cstring>
#include <vector>

namespace atl::test {

/// Pieces of all ranks one after another.
std::vector<std::byte> gather_bytes(Communicator& comm, std::span<const std::byte> mine);

template <class T>
std::vector<T> gather(Communicator& comm, std::span<const T> mine) {
  const std::vector<std::byte> bytes = gather_bytes(comm, std::as_bytes(mine));
  std::vector<T> all(bytes.size() / sizeof(T));
  if (!bytes.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}
template <class T>
std::vector<T> gather(Communicator& comm, const std::vector<T>& mine) {
  return gather(comm, std::span<const T>(mine));
}

/// All rows as one block.
template <class T>
RowBlock<T> gather_rows(Communicator& comm, const RowBlock<T>& mine);

/// Row-major n_rows x n_cols array of a block that holds all rows; duplicates are summed.
template <class T>
std::vector<double> to_dense(const RowBlock<T>& whole);

} // namespace atl::test
