#pragma once

#include <atoll/comm/dsparse_matrix.hpp>

namespace atl {

/// Whether a square matrix equals its transpose, and where it does not.
struct SymmetryReport {
  bool pattern = true;               ///< a_ij is stored wherever a_ji is
  bool values = true;                ///< |a_ij - a_ji| <= 1e-12 max(|a_ij|, |a_ji|) for all pairs (1e-5 for float)
  double max_difference = 0;         ///< largest |a_ij - a_ji|; an entry that is not stored counts as zero
  GlobalIndex row = -1, column = -1; ///< global indices of that pair; -1 where there is no difference
};

/// Compares fingerprints of the halves above and below the diagonal, in one pass and one reduction; where they differ,
/// every entry with its mirror, on a copy of the rows; those of ghost columns travel to the owners of their rows.
/// Collective.
template <class T>
ATOLL_API SymmetryReport check_symmetry(const DSparseMatrix<T>& a);

} // namespace atl
