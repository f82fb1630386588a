#pragma once

#include <atoll/comm/context.hpp>

namespace atl::app {

/// What a pass over memory cannot avoid to move, in bytes.
struct Traffic {
  double read = 0;    ///< read, each value once; those that are updated, too
  double written = 0; ///< written where nothing was read before
  double updated = 0; ///< written back to where it was read from

  double bytes() const { return read + written + updated; }
  Traffic& operator+=(const Traffic& other) {
    read += other.read;
    written += other.written;
    updated += other.updated;
    return *this;
  }
};

/// Streaming bandwidth of some ranks that work at once: bytes a second of all of them together, counted as in Traffic
/// (the lines that a cache reads before they are written are not counted, but cost time).
struct Bandwidth {
  int ranks = 0;
  std::int64_t array_bytes = 0; ///< of one of the three arrays, over all ranks
  double read = 0;              ///< sums of what is read
  double copy = 0;              ///< y = x, by the C library
  double triad = 0;             ///< z = x - y: 2 reads, 1 write elsewhere
  double update = 0;            ///< y += a x: 2 reads, 1 write in place

  /// The least time in which these ranks can move this traffic (of all of them together). A read byte costs 1 / read;
  /// a written and an updated one what triad and update cost beyond their reads.
  double seconds(const Traffic& traffic) const;
};

/// The same rate for reading and writing, bytes a second of so many ranks together.
Bandwidth one_rate(double rate, int ranks);

struct StreamSettings {
  double seconds = 0.2;   ///< about, in all, beside making the arrays
  std::int64_t bytes = 0; ///< of the three arrays on each machine; 0: chosen, several times the last-level cache
  int ranks = 0;          ///< the first so many ranks stream, the others wait; 0: all
};
/// Measures with the executor's own kernels and memory, so that pages and threads are those of vectors. The arrays are
/// gone at the return, but count for the peak of resident memory. Collective over MPI_COMM_WORLD, which
/// context.comm must span. Errors: Error{environment} where there is no memory for the arrays.
Bandwidth measure_bandwidth(const Context& context, const StreamSettings& settings = {});

/// Bytes of the last-level caches of this rank's machine, all together; a guess where the system does not tell.
std::int64_t last_level_cache_bytes();
/// Bytes that may be allocated on each machine without touching swap, on the machine that has the least. Collective.
std::int64_t least_available_bytes(const Context& context);
/// Ranks on this rank's machine for which `counts` holds. Collective over MPI_COMM_WORLD.
int ranks_of_machine(bool counts = true);

} // namespace atl::app
