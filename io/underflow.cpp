#include <atoll/io/underflow.hpp>

#include <fmt/format.h>

namespace atl {

template <class T>
void note_underflow(const Context& context, Offset mine, const std::string& name) {
  const Offset count = context.comm->all_reduce(mine, ReduceOp::sum);
  if (count == 0) return;
  const char* precision = sizeof(T) == sizeof(float) ? "float" : "double";
  context.observer->warning(
      count == 1 ? fmt::format("{}: 1 value underflows to zero in {}; it stays stored", name, precision)
                 : fmt::format("{}: {} values underflow to zero in {}; they stay stored", name, count, precision));
}

template void note_underflow<float>(const Context&, Offset, const std::string&);
template void note_underflow<double>(const Context&, Offset, const std::string&);

} // namespace atl
