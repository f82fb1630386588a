#pragma once

#include <atoll/partition/quality.hpp>

namespace atl {

/// Greedy passes over the boundary: a row moves to the neighbouring part to which most of its edge weight
/// leads, where that shortens the cut (or keeps it and evens the weights) and no part grows beyond `limit`.
/// Odd passes move to lower part numbers, even ones to higher, so that two ranks never swap neighbours for
/// nothing; where several ranks would fill a part, its room is divided by what each wishes. No part loses
/// its last row. part: owned rows, then ghosts, kept current. Collective; a pass costs two reductions of
/// length `parts`.
ATOLL_API void refine(const Context& context, const DGraph& graph, int parts, std::int64_t limit, int passes,
                      std::vector<int>& part);

/// Moves boundary rows out of parts above `limit`, towards the nearest part with room (over parts in between
/// where need be), best for the cut first, until no part is above it or nothing gets better; then rows that
/// found no way, those least tied to their part first, go to any part with room. With rows of weight 1 every
/// part ends at or below the limit. Collective. Returns rows moved.
ATOLL_API std::int64_t balance(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                               std::vector<int>& part);

} // namespace atl
