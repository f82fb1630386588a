#pragma once

#include <atoll/comm/row_block.hpp>
#include <atoll/solvers/symmetry.hpp>

#include <string>

namespace atl::app {

/// What the entries of a matrix tell, over all ranks. Diagonal and row-sum figures are those of square
/// matrices.
struct MatrixFacts {
  GlobalIndex rows = 0, cols = 0;
  Offset entries = 0, explicit_zeros = 0, not_finite = 0;
  Offset row_entries_min = 0, row_entries_max = 0;
  GlobalIndex empty_rows = 0;
  GlobalIndex lower_bandwidth = 0, upper_bandwidth = 0; ///< largest i - j and j - i of an entry
  double norm_frobenius = 0, norm_inf = 0, max_abs = 0;

  GlobalIndex diagonal_missing = 0, diagonal_zero = 0, diagonal_positive = 0, diagonal_negative = 0;
  GlobalIndex zero_row_sums = 0;                   ///< |sum_j a_ij| within rounding of zero, in rows with entries
  GlobalIndex dominant = 0, strictly_dominant = 0; ///< |a_ii| >= (>) the sum of the row's other |a_ij|
  double gershgorin_low = 0, gershgorin_high = 0;  ///< all real eigenvalues lie between (Gershgorin, 1931)

  double row_entries_mean() const { return rows ? static_cast<double>(entries) / static_cast<double>(rows) : 0; }
};

/// One pass over this rank's sorted rows, and a few reductions. Collective.
MatrixFacts gather_facts(Communicator& comm, const RowBlock<double>& rows);

/// What needs the graph of a square matrix.
struct MatrixStructure {
  SymmetryReport symmetry;
  std::int64_t components = 0; ///< of a symmetric pattern; else 0
  std::int64_t null_space = 0; ///< constants found; of a symmetric matrix
};

/// The matrix is consumed. Where most rows and columns are empty it costs memory for the others only. Collective.
MatrixStructure find_structure(const Context& context, RowBlock<double>&& rows);

/// What symmetry, diagonal and Gershgorin's discs say about definiteness, in words; "unknown" where they say
/// nothing.
std::string definiteness(const MatrixFacts& facts, bool symmetric, std::int64_t components);

} // namespace atl::app
