#pragma once

#include <atoll/comm/halo_exchange.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/core/split_matrix.hpp>

namespace atl {

/// Sparse matrix cut by rows over the ranks of a communicator, ready to multiply.
/// Shapes     row_map()->global_size() x col_map()->global_size(); this rank stores its owned rows. Square matrices
///            have equal owned ranges for rows and columns; rectangular ones may have any.
/// Layout     local columns: owned, then ghosts. On an executor that packs (the host's), a SplitMatrix: entries of owned
///            columns in the forms that take the fewest bytes, entries of ghost columns apart. On others one plain
///            matrix, whose interior rows (no ghost column) come first and boundary rows last.
/// Invariant  col_map()->ghosts() are exactly the ghost columns that occur; the halo plan serves col_map().
/// Ranks      construction, products, norm_frobenius() and norm_inf() are collective; other const members are local.
///            Products start the halo exchange, multiply what needs no ghosts, finish it, multiply the rest.
/// Errors     Error{usage} when shapes disagree, the same on all ranks.
/// Source     Saad, Iterative Methods for Sparse Linear Systems (2003), ch. 11.
template <class T>
class ATOLL_API DSparseMatrix {
 public:
  struct Options {
    /// Keep where each entry of the RowBlock went (8 bytes an entry), so that update_values() can be called.
    bool keep_positions = false;
    StorageWish storage = StorageWish::least_bytes; ///< on executors that pack
    /// A number for each owned column, the same for any distribution (the original one, say): the entries of every row
    /// are kept and summed in ascending order of it, so that products do not depend on the distribution to the bit.
    /// Empty: owned columns first, then ghosts, each ascending. Square matrices.
    std::span<const GlobalIndex> column_order{};
  };

  /// From rows in global numbering; the block is consumed. owned_cols: columns owned by this rank, in rank order;
  /// -1 for a square matrix, whose columns are owned as its rows are. Rows need not be sorted; duplicates are summed.
  static DSparseMatrix from_rows(const Context& context, RowBlock<T>&& rows, GlobalIndex owned_cols = -1,
                                 Options options = {});

  const Context& context() const { return context_; }
  const IndexMapPtr& row_map() const { return row_map_; }
  const IndexMapPtr& col_map() const { return col_map_; }
  const HaloPlanPtr& plan() const { return halo_->plan(); }
  HaloExchange<T>& halo() const { return *halo_; } ///< for sweeps that do a product's parts themselves
  GlobalIndex rows() const { return row_map_->global_size(); }
  GlobalIndex cols() const { return col_map_->global_size(); }
  GlobalIndex entries() const { return entries_; } ///< stored entries over all ranks
  bool packed() const { return packed_; }
  const SplitMatrix<T>& split() const { return split_; } ///< where packed()
  const CsrMatrix<T>& local() const { return local_; }   ///< where not packed()
  LocalIndex n_interior() const { return n_interior_; }
  std::size_t bytes() const; ///< on this rank: local matrix, maps, plan, buffers

  DVector<T> make_row_vector(LocalIndex columns = 1) const { return DVector<T>(context_, row_map_, columns); }
  DVector<T> make_col_vector(LocalIndex columns = 1) const { return DVector<T>(context_, col_map_, columns); }

  /// y = A x for all columns of x. The ghosts of x are refreshed.
  void multiply(DVector<T>& x, DVector<T>& y) const;
  /// r = b - A x (one column).
  void residual(DVector<T>& x, const DVector<T>& b, DVector<T>& r) const;
  /// x = A' y: local transposed products, then ghosts summed into their owners.
  void multiply_transposed(const DVector<T>& y, DVector<T>& x) const;

  DVector<T> diagonal() const; ///< zero where no entry is stored; square matrices
  DVector<T> row_sums() const;
  DVector<T> row_abs_sums() const;
  double norm_frobenius() const;
  double norm_inf() const; ///< largest absolute row sum

  /// New values on the old pattern, in the order of the RowBlock that made the matrix (before its rows were
  /// sorted; duplicates are summed again). Allocates nothing, communicates nothing. Needs Options::keep_positions.
  void update_values(std::span<const T> values);

  /// The rows back in global numbering, sorted by column. Local, a copy of the matrix.
  RowBlock<T> to_rows() const;

 private:
  void require_columns(const char* operation, const DVector<T>& x) const;
  void require_rows(const char* operation, const DVector<T>& y) const;

  Context context_;
  IndexMapPtr row_map_, col_map_;
  bool packed_ = false;
  SplitMatrix<T> split_;
  CsrMatrix<T> local_;
  LocalIndex n_interior_ = 0;
  GlobalIndex entries_ = 0;
  /// Where the caller's entries are kept, empty unless asked for: a place in the values, or for rows that have ghosts
  /// of a split matrix -1 - place.
  std::vector<Offset> position_;
  std::vector<T> staged_values_; ///< host copy for update_values() where the executor's memory is not the host's
  std::unique_ptr<HaloExchange<T>> halo_;
};

extern template class DSparseMatrix<float>;
extern template class DSparseMatrix<double>;

} // namespace atl
