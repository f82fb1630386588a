#pragma once

#include "roofline.hpp"
#include "store_parts.hpp"

#include <atoll/core/packed_matrix.hpp>

namespace atl::app {

/// What one part of a matrix will need on its rank. Bytes are those that a run reports.
struct PartFigures {
  std::int64_t rows = 0, entries = 0;
  // ---- memory
  std::int64_t storage = 0; ///< the local matrix in its packed form
  std::int64_t maps = 0;    ///< numbers of its ghosts
  std::int64_t halo = 0;    ///< send list and message buffers
  std::int64_t rhs = 0, answer = 0;
  std::int64_t method = 0; ///< work vectors of conjugate gradients
  std::int64_t kept = 0;   ///< one vector more, from when a residual first grows beyond twice the lowest
  std::int64_t preconditioner = 0;
  // ---- one halo exchange
  std::int64_t messages_sent = 0, messages_received = 0;
  std::int64_t bytes_sent = 0, bytes_received = 0;
  // ---- one iteration
  Traffic traffic{}; ///< through memory

  std::int64_t matrix() const { return storage + maps + halo; }
  std::int64_t vectors() const { return rhs + answer + method; }
  std::int64_t memory() const { return matrix() + vectors() + kept + preconditioner; }
};

struct PartSettings {
  StorageWish storage = StorageWish::least_bytes;
  bool order_locally = true;
  bool iterates = true; ///< conjugate gradients with Jacobi; else one product
};

/// The figures of the parts that lie on this rank, in their order: each part is built as its rank would build it, one at
/// a time. Numbers of length P are made and dropped. Collective.
template <class T>
std::vector<PartFigures> measure_parts(const Context& context, const PartedRows<T>& parted,
                                       const PartSettings& settings);

} // namespace atl::app
