#pragma once

#include "distribute.hpp"

namespace atl::app {

/// Rows of consecutive parts on each rank, in the global numbering that as many ranks as parts would give them.
template <class T>
struct PartedRows {
  RowBlock<T> rows;
  Numbering numbering;
  std::vector<GlobalIndex> row_ranges; ///< part p owns rows row_ranges[p] .. row_ranges[p + 1]: parts + 1 offsets
};

/// Moves the rows so that parts lie whole, one after the other: rank r has those of BlockRange{parts, ranks}. owner[i]
/// is the part of this rank's row i. The matrix is consumed. Collective.
template <class T>
PartedRows<T> bring_parts_together(const Context& context, Loaded<T>&& loaded, std::span<const int> owner, int parts);

/// Writes the matrix as a store of `parts` parts, owner[i] being the part of this rank's row i. The number of
/// parts need not be that of the ranks. The matrix is consumed. Collective.
template <class T>
void write_partitioned_store(const Context& context, const std::string& path, Loaded<T>&& loaded,
                             std::span<const int> owner, int parts, bool compress);

/// Each rank's text, one after the other by rank, in one file that appears whole or not at all. Collective.
void write_text_in_parallel(const Context& context, const std::string& path, std::string_view text);

} // namespace atl::app
