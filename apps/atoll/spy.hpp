#pragma once

#include <atoll/comm/row_block.hpp>

#include <string>

namespace atl::app {

/// A picture of the pattern in characters, at most 20 lines of 40: the denser a cell, the darker its
/// character. Collective; entries are counted where they lie.
std::string spy_picture(Communicator& comm, const RowBlock<double>& rows);

} // namespace atl::app
