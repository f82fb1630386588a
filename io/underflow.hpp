#pragma once
/// Private to io: how readers tell that numbers were too small for the precision asked for.

#include <atoll/comm/context.hpp>

#include <string>

namespace atl {

/// Notes how many values of `name` became zero in T on all ranks together, where some did. Collective.
template <class T>
void note_underflow(const Context& context, Offset mine, const std::string& name);

} // namespace atl
