#pragma once
/// Matrix Market texts in memory, read by any number of virtual ranks.

#include <atoll/comm/context.hpp>
#include <atoll/comm/row_block.hpp>

#include <optional>
#include <string>
#include <vector>

namespace atl::test {

/// A matrix as the reader gave it, gathered from all ranks.
struct WholeMatrix {
  GlobalIndex rows = 0, cols = 0;
  Offset entries = 0;
  std::vector<double> dense; ///< row-major
};

WholeMatrix whole_matrix(const Context& context, const RowBlock<double>& block);
/// Reads `text` on `ranks` virtual ranks; throws what the reader throws.
WholeMatrix read_matrix_text(const std::string& text, int ranks);
/// The same with the dense reader.
std::vector<double> read_dense_text(const std::string& text, int ranks);

/// "where: what" of the error that every rank got, "ranks disagree" if they did not get the same, empty if
/// there was none.
std::string error_of_text(const std::string& text, int ranks);

} // namespace atl::test
