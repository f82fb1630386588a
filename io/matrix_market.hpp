#pragma once

#include <atoll/comm/row_block.hpp>

#include <string>

namespace atl {

/// The banner and size line of a Matrix Market file (Boisvert, Pozo, Remington, NISTIR 5935, 1996).
struct MatrixMarketHeader {
  enum class Layout { coordinate, array } layout{};
  enum class Field { real, integer, pattern, complex } field{};
  enum class Symmetry { general, symmetric, skew_symmetric, hermitian } symmetry{};
  GlobalIndex rows = 0, cols = 0;
  Offset entries = 0;    ///< announced by the size line (coordinate), or values to come (array)
  Offset data_begin = 0; ///< first byte after the size line
  Offset data_line = 0;  ///< its line number, from 1
};

/// Collective: one rank reads the head, all get it or the same Error.
ATOLL_API MatrixMarketHeader read_matrix_market_header(Communicator& comm, const std::string& path);

/// A sparse matrix, all ranks at once, each its byte range; symmetric kinds expanded, duplicates summed, rows
/// in equal slabs (BlockRange). No rank holds more than its share. Collective.
/// Accepted   any spacing and case, CRLF, comments and blank lines anywhere, + signs, Fortran exponents
/// (1.0D+3).
///            Stored zeros of a coordinate file stay stored; zeros of an array file do not. A symmetric kind
///            may store the upper triangle instead of the lower one, but not entries of both. Values too small for
///            T become stored zeros; the observer is told how many, and hears the progress.
/// Errors     Error{bad_input} with file and line: what was found, what was expected; Error{limit} for sizes
///            that do not fit; the same on all ranks, and whatever their number. A value, or a sum of duplicates, that
///            is too large for T is bad input.
template <class T>
ATOLL_API RowBlock<T> read_matrix_market(const Context& context, const std::string& path);

/// A dense n x k array, this rank's equal slab of rows, interleaved: value (i, c) is at i * cols + c.
template <class T>
struct DenseSlab {
  GlobalIndex rows = 0; ///< of the whole array
  LocalIndex cols = 1;
  std::vector<T> values;
};
/// From an array file or a coordinate file (places that are not stored are zero). Collective. Errors as
/// above.
template <class T>
ATOLL_API DenseSlab<T> read_dense_matrix_market(const Context& context, const std::string& path);

/// Writes aside, syncs, renames: the file appears whole or not at all. Values with the fewest digits that
/// read back to the same number; the same bytes for any number of ranks. `symmetric` writes the lower
/// triangle only. Collective; ranks write their own byte ranges. Errors     Error{environment} when the file
/// cannot be written, Error{bad_input} for values that are not finite; the same on all ranks, nothing left
/// behind.
template <class T>
ATOLL_API void write_matrix_market(const Context& context, const std::string& path, const RowBlock<T>& block,
                                   bool symmetric = false);
template <class T>
ATOLL_API void write_dense_matrix_market(const Context& context, const std::string& path, const DenseSlab<T>& slab);

} // namespace atl
