#pragma once

#include <atoll/comm/context.hpp>

#include <string>
#include <vector>

namespace atl::app {

/// Where the parts of a store begin, P + 1 offsets; read by one rank, told to all. The store has been loaded, so it is
/// whole. Collective. Errors: Error{bad_input}.
std::vector<GlobalIndex> stored_row_ranges(const Context& context, const std::string& path);

/// Whether an HDF5 file holds a vector and no matrix. Looked up by one rank; collective.
bool holds_only_a_vector(const Context& context, const std::string& path);

} // namespace atl::app
