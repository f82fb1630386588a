#pragma once

#include "distribute.hpp"

namespace atl::app {

/// Refuses, before any time is spent, what cannot be solved by the methods of this build. Collective.
/// Errors     Error{bad_input}, the same on all ranks, naming original rows and columns from 1: entries that
/// are not
///            finite; rows that are empty or all zero; a matrix that differs from its transpose.
template <class T>
void require_solvable(const Distributed<T>& system, const std::string& name);

} // namespace atl::app
