#pragma once

#include <atoll/core/packed_matrix.hpp>

#include <vector>

namespace atl {

/// The order in which one pass over memory does a whole step of conjugate gradients, chunk by chunk: the direction p,
/// then the step u, x with A p, then the dots with A u. A chunk's product waits until the chunks it reaches are
/// ready, so three fronts run through the rows, each a reach behind the other, and what they share stays in the cache.
/// With several threads each owns a run of chunks and does first what needs no other thread's rows.
class ATOLL_API SweepPlan {
 public:
  enum class Stage : std::uint8_t { direction, step, dots };
  struct Task {
    Stage stage;
    std::uint32_t chunk;
  };
  /// One thread's tasks. Barriers stand before `second` and `third`; with `third` begin dots only, which may overlap
  /// with a halo exchange: all steps are done by then.
  struct Thread {
    std::vector<Task> first, second, third;
  };

  SweepPlan() = default;
  SweepPlan(std::span<const PackedChunk> chunks, LocalIndex owned_columns, int threads);

  std::span<const Thread> threads() const { return threads_; }
  /// Chunks [begin, begin of the next) belong to thread t.
  std::size_t bytes() const;

 private:
  std::vector<Thread> threads_;
};

} // namespace atl
