#pragma once

#include <atoll/partition/quality.hpp>

#include <string>

namespace atl {

/// What repair() had to do; the same on all ranks.
struct ATOLL_API Repairs {
  int filled = 0;            ///< empty parts that were given rows
  std::int64_t balanced = 0; ///< rows moved out of parts that were too heavy
  std::int64_t joined = 0;   ///< rows of islands that joined a neighbouring part
  std::int64_t islands = 0;  ///< islands that balance did not allow to join

  /// "; repaired: ..." or nothing.
  std::string text() const;
};

/// Gives every part a row (while rows >= parts; half of the largest part's rows, in row order), takes weight
/// beyond `limit` out of parts, and joins islands to their neighbours. part: owned rows, then ghosts, kept
/// current. Collective.
ATOLL_API Repairs repair(const Context& context, const DGraph& graph, int parts, std::int64_t limit,
                         std::vector<int>& part);

/// The first step alone; returns the parts filled. Collective.
ATOLL_API int fill_empty_parts(const Context& context, const DGraph& graph, int parts, std::vector<int>& part);

} // namespace atl
