#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

#include <string>

namespace atl::app {

/// Throws Error{bad_input}, the same on all ranks, unless all entries are finite numbers; it names the first that is
/// not by its original row and column. Every matrix that a command loads goes through here. Collective.
template <class T>
void require_finite(const Context& context, const RowBlock<T>& rows, const Numbering& numbering,
                    const std::string& name);

} // namespace atl::app
