#pragma once

#include <atoll/comm/block_range.hpp>
#include <atoll/comm/context.hpp>
#include <atoll/comm/row_block.hpp>

#include <string>

namespace atl {

/// What the parts of a matrix exchange before a product, as the store keeps it. Rank r of Q answers for the
/// parts BlockRange{P, Q} gives it, whoever holds their rows; arrays are those of its parts, one part after
/// another, offsets from 0.
/// Layout     ghosts of a part: the distinct columns of its rows that other parts own, ascending. Its
///            neighbours, ascending: parts that own ghosts of it or have ghosts of its own. Its send list:
///            for each neighbour, the columns that the neighbour has as ghosts, ascending, so in the order in
///            which they lie there.
struct PartHalo {
  BlockRange parts;
  std::vector<Offset> ghost_offsets{0}, neighbour_offsets{0}, send_offsets{0}; ///< parts here + 1 each
  std::vector<GlobalIndex> ghosts, send_index;
  std::vector<std::int64_t> neighbours, receive_counts, send_counts; ///< one a neighbour
};

/// Parts own the rows row_ranges[p] .. row_ranges[p + 1] and the columns column_ranges[p] .. of a matrix
/// whose rows lie on the ranks in any ranges. Each rank sends what it finds in its rows to the rank that
/// answers for the part. Collective.
ATOLL_API PartHalo find_part_halo(const Context& context, GlobalIndex row_begin, std::span<const Offset> offsets,
                                  std::span<const GlobalIndex> columns, std::span<const GlobalIndex> row_ranges,
                                  std::span<const GlobalIndex> column_ranges);

/// This rank's slab of one array of the whole plan: values from `first` on, of `total` over all ranks.
struct PlanArray {
  std::string name;
  GlobalIndex first = 0, total = 0;
  std::vector<std::int64_t> values;
};

/// The arrays of the plan as they lie in the store, offsets counted over all parts. Collective.
ATOLL_API std::vector<PlanArray> plan_arrays(Communicator& comm, PartHalo&& halo);

/// The part whose range holds index i. Empty ranges hold nothing.
ATOLL_API int part_of(std::span<const GlobalIndex> ranges, GlobalIndex i);

} // namespace atl
