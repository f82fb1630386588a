#pragma once
/// Private to io: sends entries to the owners of their rows and builds the owners' rows.

#include <atoll/comm/block_range.hpp>
#include <atoll/comm/context.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/io/entry_store.hpp>

#include <map>

namespace atl {

/// Collects entries of any rows on each rank. deliver() sends them to the owners (equal slabs of rows); then
/// rows() or dense() builds the slab of this rank, duplicates summed. What is summed in which order does not
/// depend on the number of ranks.
/// Memory     16 bytes an entry (double) until the rows are built, at most 24 while they are.
/// Ranks      deliver() is collective, all else local.
template <class T>
class EntryRouter {
 public:
  /// Errors: Error{limit}, the same on all ranks.
  EntryRouter(CommunicatorPtr comm, GlobalIndex rows, GlobalIndex columns);

  void add(GlobalIndex row, GlobalIndex column, T value) {
    if (mine(row))
      own_.add(keys_.pack(row - begin_, column), value);
    else
      add_foreign(row, column, value);
  }
  /// Also entry (column, row) with sign * value; stored once where both rows are here.
  void add_mirrored(GlobalIndex row, GlobalIndex column, T value, T sign) {
    if (row == column) return add(row, column, value);
    if (mine(row) && mine(column)) return mirrored_.add(keys_.pack(row - begin_, column), value);
    add(row, column, value);
    add(column, row, sign * value);
  }

  void deliver();
  /// Rows with ascending columns. `sign` as given to add_mirrored().
  RowBlock<T> rows(T sign);
  /// The slab as a dense array, interleaved. For entries without duplicates.
  std::vector<T> dense(T sign);

 private:
  /// Where entries for another rank wait.
  struct Foreign {
    GlobalIndex begin = 0, end = 0;
    EntryStore<T> store;
  };

  bool mine(GlobalIndex row) const { return row >= begin_ && row < end_; }
  void add_foreign(GlobalIndex row, GlobalIndex column, T value);
  void count_rows(RowBlock<T>& block) const;
  void place_values(RowBlock<T>& block, T sign);
  void place_columns(RowBlock<T>& block);

  CommunicatorPtr comm_;
  GlobalIndex n_rows_, n_columns_;
  BlockRange slabs_;
  EntryKeys keys_;
  GlobalIndex begin_, end_;
  EntryStore<T> own_, mirrored_;
  std::map<int, Foreign> foreign_;
  Foreign* latest_ = nullptr; ///< entries often come in runs
};

} // namespace atl
