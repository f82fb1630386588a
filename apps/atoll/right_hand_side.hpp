#pragma once

#include "distribute.hpp"

namespace atl::app {

/// b by its name on the command line: "A*ones" (computed through the product, so that the answer is known),
/// "ones", "random" or "random:SEED" (each value a function of seed and original row alone, so the same on
/// any number of ranks), or a file. Where A*ones is zero but for rounding, b is zero, and a warning says so.
/// Collective.
template <class T>
DVector<T> right_hand_side(const Distributed<T>& system, const std::string& name);

/// Whether the name stands for a file. Errors: Error{usage} for a seed that is no number.
bool is_right_hand_side_file(const std::string& name);

} // namespace atl::app
