#pragma once

#include "distribute.hpp"

namespace atl::app {

/// Writes the matrix as a store of `parts` parts, owner[i] being the part of this rank's row i. The number of
/// parts need not be that of the ranks. The matrix is consumed. Collective.
template <class T>
void write_partitioned_store(const Context& context, const std::string& path, Loaded<T>&& loaded,
                             std::span<const int> owner, int parts, bool compress);

/// Each rank's text, one after the other by rank, in one file that appears whole or not at all. Collective.
void write_text_in_parallel(const Context& context, const std::string& path, std::string_view text);

} // namespace atl::app
