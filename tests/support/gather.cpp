#include "support/gather.hpp"

#include <cstring>

namespace atl::test {

// One collective however many ranks there are: each rank adds its words to zeros.
std::vector<std::byte> gather_bytes(Communicator& comm, std::span<const std::byte> mine) {
  constexpr std::size_t word = sizeof(std::int64_t);
  std::vector<std::size_t> words{0}; // where the piece of each rank begins
  const std::vector<std::int64_t> sizes = comm.all_gather(std::ssize(mine));
  for (const std::int64_t size : sizes)
    words.push_back(words.back() + (static_cast<std::size_t>(size) + word - 1) / word);
  std::vector<std::int64_t> padded(words.back());
  if (!mine.empty()) std::memcpy(&padded[words[static_cast<std::size_t>(comm.rank())]], mine.data(), mine.size());
  comm.all_reduce(std::span<std::int64_t>(padded), ReduceOp::sum);

  std::vector<std::byte> all;
  const auto* bytes = reinterpret_cast<const std::byte*>(padded.data());
  for (std::size_t r = 0; r < sizes.size(); ++r)
    all.insert(all.end(), bytes + words[r] * word, bytes + words[r] * word + sizes[r]);
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
