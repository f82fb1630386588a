#pragma once

#include <atoll/comm/dsparse_matrix.hpp>

namespace atl {

/// The connected components of a symmetric matrix's graph, seen from one rank: pieces that are connected
/// inside the rank, and the means to carry a value from piece to piece along the halo. Ranks      the
/// constructor and spread_minimum() are collective. Memory     4 bytes an owned row, 8 an entry of a ghost column.
template <class T>
class ATOLL_API ComponentFinder {
 public:
  explicit ComponentFinder(const DSparseMatrix<T>& a);

  LocalIndex n_pieces() const { return n_pieces_; }
  /// Piece of each owned row, 0 .. n_pieces()-1.
  std::span<const LocalIndex> piece() const { return piece_; }
  /// Smallest global row of each piece's component; equal for pieces of one component on any rank.
  std::span<const double> label() const { return label_; }
  /// Whether a piece has a ghost neighbour, so that its component reaches over ranks.
  bool reaches_out(LocalIndex piece) const { return reaches_out_[static_cast<std::size_t>(piece)] != 0; }
  /// Components over all ranks.
  std::int64_t count() const { return count_; }

  /// Lowers each piece's value to the smallest in its component: rounds of one halo exchange and one
  /// reduction, as many as a component crosses from rank to rank. Values must be below 2^53 in size, to be
  /// exact.
  void spread_minimum(std::vector<double>& value_of_piece);

 private:
  void find_pieces(const DSparseMatrix<T>& a);

  CommunicatorPtr comm_;
  IndexMapPtr map_;
  LocalIndex rows_ = 0, n_pieces_ = 0;
  /// An entry of a ghost column: the row's piece, the ghost.
  struct Crossing {
    LocalIndex piece, ghost;
  };
  std::vector<Crossing> crossings_;
  HaloExchange<double> halo_;
  DVector<double> carried_;
  std::vector<LocalIndex> piece_;
  std::vector<char> reaches_out_;
  std::vector<double> label_;
  std::int64_t count_ = 0;
};

extern template class ComponentFinder<float>;
extern template class ComponentFinder<double>;

} // namespace atl
