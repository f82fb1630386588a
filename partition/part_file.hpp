#pragma once

#include <atoll/partition/partitioner.hpp>

namespace atl {

/// Part numbers from a text file: one 0-based number a row, in row order; blank lines and lines that begin
/// with % or # are skipped. Every rank reads its share of the bytes and sends the numbers to the owners of
/// the rows. Collective; the same on any number of ranks.
/// Errors     Error{bad_input} with file and line, the same on all ranks: a file that cannot be read, is too
///            short or too long, or holds something that is not a number in 0 .. parts-1.
ATOLL_API std::vector<int> read_part_file(const Context& context, const DGraph& graph, int parts,
                                          const std::string& file);

} // namespace atl
