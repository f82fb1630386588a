#pragma once
/// Private to io: how readers tell that numbers were too small for the precision asked for.

#include <atoll/comm/context.hpp>

#include <fmt/format.h>

#include <string>

namespace atl {

/// Notes how many values of `name` became zero on all ranks together, where some did. Collective.
template <class T>
void note_underflow(const Context& context, Offset mine, const std::string& name) {
  const Offset count = context.comm->all_reduce(mine, ReduceOp::sum);
  if (count == 0) return;
  const char* precision = sizeof(T) == sizeof(float) ? "float" : "double";
  context.observer->warning(
      count == 1 ? fmt::format("{}: 1 value underflows to zero in {}; it stays stored", name, precision)
                 : fmt::format("{}: {} values underflow to zero in {}; they stay stored", name, count, precision));
}

} // namespace atl
