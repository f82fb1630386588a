#include <atoll/comm/agree.hpp>
#include <atoll/comm/sparse_exchange.hpp>
#include <atoll/io/entry_router.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace atl {
namespace {

/// While entries are placed, offsets[i] is the next free place of row i, and in the end that of row i + 1.
void step_back(std::vector<Offset>& offsets) {
  std::copy_backward(offsets.begin(), offsets.end() - 1, offsets.end());
  offsets.front() = 0;
}

/// Sorts a row by column, equal columns by value: so duplicates are summed in the same order everywhere.
template <class T>
void sort_row(std::span<GlobalIndex> column, std::span<T> value, std::vector<std::pair<GlobalIndex, T>>& scratch) {
  scratch.clear();
  for (std::size_t e = 0; e < column.size(); ++e) scratch.emplace_back(column[e], value[e]);
  std::sort(scratch.begin(), scratch.end());
  for (std::size_t e = 0; e < column.size(); ++e) std::tie(column[e], value[e]) = scratch[e];
}

bool strictly_ascending(std::span<const GlobalIndex> column) {
  return std::adjacent_find(column.begin(), column.end(), std::greater_equal<>()) == column.end();
}

/// Sorts all rows, sums duplicates and closes the gaps they leave.
template <class T>
void finish_rows(RowBlock<T>& block) {
  std::vector<std::pair<GlobalIndex, T>> scratch;
  Offset write = 0, begin = 0;
  for (LocalIndex row = 0; row < block.rows(); ++row) {
    const Offset end = block.offsets[row + 1];
    const auto size = static_cast<std::size_t>(end - begin);
    const std::span column(block.column.data() + begin, size);
    const std::span value(block.value.data() + begin, size);
    if (!strictly_ascending(column)) sort_row(column, value, scratch);
    const Offset row_write = write;
    for (std::size_t e = 0; e < size; ++e) {
      if (write > row_write && block.column[write - 1] == column[e]) {
        block.value[write - 1] += value[e];
      } else {
        block.column[write] = column[e];
        block.value[write++] = value[e];
      }
    }
    block.offsets[row + 1] = write;
    begin = end;
  }
  block.column.resize(static_cast<std::size_t>(write));
  block.value.resize(static_cast<std::size_t>(write));
}

} // namespace

template <class T>
EntryRouter<T>::EntryRouter(CommunicatorPtr comm, GlobalIndex rows, GlobalIndex columns)
    : comm_(std::move(comm)), n_rows_(rows), n_columns_(columns), slabs_{rows, comm_->size()},
      keys_(slabs_.size(0), columns), begin_(slabs_.begin(comm_->rank())), end_(slabs_.begin(comm_->rank() + 1)) {}

template <class T>
void EntryRouter<T>::add_foreign(GlobalIndex row, GlobalIndex column, T value) {
  if (!latest_ || row < latest_->begin || row >= latest_->end) {
    const int owner = slabs_.owner(row);
    latest_ = &foreign_[owner];
    latest_->begin = slabs_.begin(owner);
    latest_->end = slabs_.begin(owner + 1);
  }
  latest_->store.add(keys_.pack(row - latest_->begin, column), value);
}

template <class T>
void EntryRouter<T>::deliver() {
  if (comm_->size() == 1) return;
  std::vector<PeerCount> destinations;
  std::vector<const EntryStore<T>*> stores;
  for (const auto& [rank, foreign] : foreign_) {
    destinations.push_back({rank, foreign.store.size()});
    stores.push_back(&foreign.store);
  }
  BulkExchange exchange(comm_, destinations);
  std::optional<Error> lost; // a rank without memory stays in the exchange until it is over
  exchange.run(
      EntryStore<T>::item_bytes,
      [&](std::size_t d, Offset first, Offset count, std::byte* out) { stores[d]->copy_items(first, count, out); },
      [&](std::size_t, Offset, Offset count, const std::byte* in) {
        if (lost) return;
        try {
          own_.add_items(count, in);
        } catch (...) {
          lost = describe_current_exception();
        }
      });
  agree(*comm_, lost);
  latest_ = nullptr;
  foreign_.clear();
}

template <class T>
void EntryRouter<T>::count_rows(RowBlock<T>& block) const {
  auto& offsets = block.offsets;
  offsets.assign(static_cast<std::size_t>(end_ - begin_) + 1, 0);
  own_.for_each_key([&](std::uint64_t key) { ++offsets[keys_.row(key) + 1]; });
  mirrored_.for_each_key([&](std::uint64_t key) {
    ++offsets[keys_.row(key) + 1];
    ++offsets[keys_.column(key) - begin_ + 1];
  });
  for (std::size_t row = 1; row < offsets.size(); ++row) offsets[row] += offsets[row - 1];
}

template <class T>
void EntryRouter<T>::place_values(RowBlock<T>& block, T sign) {
  auto& next = block.offsets;
  block.value.resize(static_cast<std::size_t>(next.back()));
  own_.consume_values([&](std::uint64_t key, T value) { block.value[next[keys_.row(key)]++] = value; });
  mirrored_.consume_values([&](std::uint64_t key, T value) {
    block.value[next[keys_.row(key)]++] = value;
    block.value[next[keys_.column(key) - begin_]++] = sign * value;
  });
  step_back(next);
}

template <class T>
void EntryRouter<T>::place_columns(RowBlock<T>& block) {
  auto& next = block.offsets;
  block.column.resize(block.value.size());
  own_.consume_keys([&](std::uint64_t key) { block.column[next[keys_.row(key)]++] = keys_.column(key); });
  mirrored_.consume_keys([&](std::uint64_t key) {
    const GlobalIndex row = keys_.row(key), column = keys_.column(key) - begin_;
    block.column[next[row]++] = column + begin_;
    block.column[next[column]++] = row + begin_;
  });
  step_back(next);
}

template <class T>
RowBlock<T> EntryRouter<T>::rows(T sign) {
  RowBlock<T> block;
  block.n_rows = n_rows_;
  block.n_cols = n_columns_;
  block.row_begin = begin_;
  count_rows(block);
  place_values(block, sign);
  place_columns(block);
  finish_rows(block);
  return block;
}

template <class T>
std::vector<T> EntryRouter<T>::dense(T sign) {
  std::vector<T> values(static_cast<std::size_t>((end_ - begin_) * n_columns_));
  own_.consume_values(
      [&](std::uint64_t key, T value) { values[keys_.row(key) * n_columns_ + keys_.column(key)] = value; });
  mirrored_.consume_values([&](std::uint64_t key, T value) {
    const GlobalIndex row = keys_.row(key), column = keys_.column(key);
    values[row * n_columns_ + column] = value;
    values[(column - begin_) * n_columns_ + row + begin_] = sign * value;
  });
  return values;
}

template class EntryRouter<float>;
template class EntryRouter<double>;

} // namespace atl
