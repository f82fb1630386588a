#include "support/gather.hpp"

#include <algorithm>

namespace atl::test {

std::vector<std::byte> gather_bytes(Communicator& comm, std::span<const std::byte> mine) {
  const std::vector<std::int64_t> sizes = comm.all_gather(std::ssize(mine));
  std::vector<std::byte> all;
  for (int r = 0; r < comm.size(); ++r) {
    std::vector<std::byte> piece(mine.begin(), mine.end());
    piece.resize(static_cast<std::size_t>(sizes[static_cast<std::size_t>(r)]));
    comm.broadcast(std::span<std::byte>(piece), r);
    all.insert(all.end(), piece.begin(), piece.end());
  }
  return all;
}

template <class T>
RowBlock<T> gather_rows(Communicator& comm, const RowBlock<T>& mine) {
  RowBlock<T> whole;
  whole.n_rows = mine.n_rows;
  whole.n_cols = mine.n_cols;
  std::vector<Offset> lengths(mine.offsets.size() - 1);
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = mine.offsets[i + 1] - mine.offsets[i];
  for (const Offset length : gather(comm, lengths)) whole.offsets.push_back(whole.offsets.back() + length);
  whole.column = gather(comm, mine.column);
  whole.value = gather(comm, mine.value);
  return whole;
}

template <class T>
std::vector<double> to_dense(const RowBlock<T>& whole) {
  std::vector<double> dense(static_cast<std::size_t>(whole.n_rows * whole.n_cols));
  for (GlobalIndex i = 0; i < whole.rows(); ++i) {
    const auto row = static_cast<std::size_t>(i);
    for (Offset e = whole.offsets[row]; e < whole.offsets[row + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      dense[static_cast<std::size_t>(i * whole.n_cols + whole.column[entry])] +=
          static_cast<double>(whole.value[entry]);
    }
  }
  return dense;
}

template RowBlock<float> gather_rows(Communicator&, const RowBlock<float>&);
template RowBlock<double> gather_rows(Communicator&, const RowBlock<double>&);
template std::vector<double> to_dense(const RowBlock<float>&);
template std::vector<double> to_dense(const RowBlock<double>&);

} // namespace atl::test
