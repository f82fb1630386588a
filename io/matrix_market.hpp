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
/// in equal slabs (BlockRange). No rank holds more than its share. Collective. Errors     Error{bad_input}
/// with file and line: what was found, what was expected; the same on all ranks.
template <class T>
ATOLL_API RowBlock<T> read_matrix_market(const Context& context, const std::string& path);

/// A dense n x k array (or a sparse n x k file), this rank's slab of rows, interleaved.
template <class T>
struct DenseSlab {
  GlobalIndex rows = 0;
  LocalIndex cols = 1;
  std::vector<T> values;
};
template <class T>
ATOLL_API DenseSlab<T> read_dense_matrix_market(const Context& context, const std::string& path);

/// Writes aside, syncs, renames: the file appears whole or not at all. Values with the fewest digits that
/// read back to the same number. `symmetric` writes the lower triangle only. Collective; ranks write their
/// own byte ranges.
template <class T>
ATOLL_API void write_matrix_market(const Context& context, const std::string& path, const RowBlock<T>& block,
                                   bool symmetric = false);
template <class T>
ATOLL_API void write_dense_matrix_market(const Context& context, const std::string& path,
                                         const DenseSlab<T>& slab);

} // namespace atl
