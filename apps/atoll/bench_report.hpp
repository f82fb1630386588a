#pragma once

#include "bench_meter.hpp"

namespace atl::app {

struct BenchMatrix {
  std::string name;
  GlobalIndex rows = 0, cols = 0;
  Offset entries = 0;
  std::int64_t halo = 0; ///< values that one exchange moves, over all ranks
};

/// Lines and keys of the streams, and of the kernels, held against the streams of all ranks. Local.
void report_streams(Session& session, const std::vector<Bandwidth>& streams);
void report_kernels(Session& session, const Bandwidth& bandwidth, const std::vector<BenchMatrix>& matrices,
                    const std::vector<BenchRow>& rows);

} // namespace atl::app
