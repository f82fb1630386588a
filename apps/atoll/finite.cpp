#include "finite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace atl::app {

template <class T>
void require_finite(const Context& context, const RowBlock<T>& rows, const Numbering& numbering,
                    const std::string& name) {
  Communicator& comm = *context.comm;
  const auto bad = std::find_if(rows.value.begin(), rows.value.end(), [](T v) { return !std::isfinite(v); });
  const int finder = comm.lowest_rank_where(bad != rows.value.end());
  if (finder == comm.size()) return;

  GlobalIndex found[2] = {-1, -1}; // original row, and column
  if (comm.rank() == finder) {
    const Offset at = bad - rows.value.begin();
    const auto row = std::upper_bound(rows.offsets.begin(), rows.offsets.end(), at) - rows.offsets.begin() - 1;
    found[0] = numbering.original(static_cast<LocalIndex>(row));
    found[1] = rows.column[static_cast<std::size_t>(at)];
  }
  comm.all_reduce(std::span<GlobalIndex>(found), ReduceOp::max);
  if (rows.n_rows == rows.n_cols) { // columns are numbered as the rows are
    const bool here = found[1] >= rows.row_begin && found[1] < rows.row_end();
    const auto column = static_cast<LocalIndex>(found[1] - rows.row_begin);
    found[1] = comm.all_reduce(here ? numbering.original(column) : GlobalIndex{-1}, ReduceOp::max);
  }
  throw Error(ErrorKind::bad_input,
              fmt::format("entry ({}, {}) is not a finite number{}", found[0] + 1, found[1] + 1,
                          sizeof(T) == 4 ? " in single precision" : ""),
              name);
}

template void require_finite(const Context&, const RowBlock<float>&, const Numbering&, const std::string&);
template void require_finite(const Context&, const RowBlock<double>&, const Numbering&, const std::string&);

} // namespace atl::app
