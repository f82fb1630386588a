#pragma once

#include <atoll/core/exact_sum.hpp>
#include <atoll/core/split_matrix.hpp>
#include <atoll/core/sweep_plan.hpp>

namespace atl {

/// What one pass of conjugate gradients over memory works on: a split matrix A, the diagonal d of the preconditioner
/// (null: no preconditioner), and vectors over owned and ghost columns. u = d .* r stands for the residual r.
/// Source     the single-reduction form of Chronopoulos & Gear, J. Comput. Appl. Math. 25 (1989) 153, with A p and
///            A u computed anew where they are needed instead of stored: three vectors are read and written.
template <class T>
class CgSweep {
 public:
  CgSweep() = default;
  CgSweep(const SplitMatrix<T>& matrix, int threads)
      : a(&matrix), plan(matrix.chunks_with_halo(), matrix.owned.columns(), threads),
        partial(3 * matrix.owned.chunks().size()) {}

  const SplitMatrix<T>* a = nullptr;
  SweepPlan plan;
  std::vector<double> partial; ///< three dots a chunk; summed in the order of the chunks, whoever computed them
  std::vector<T> uniform;      ///< d on each chunk where it is one number there, else zero
  const T* d = nullptr;
  T* u = nullptr;
  T* p = nullptr;
  T* x = nullptr;
  ExactSum* exact = nullptr; ///< three, to which the dots are added exactly; null: rounded sums

  /// Takes the diagonal; the values must stay where they are.
  void set_diagonal(const T* diagonal);
  std::size_t bytes() const {
    return plan.bytes() + partial.capacity() * sizeof(double) + uniform.capacity() * sizeof(T);
  }
};

template <class T>
void CgSweep<T>::set_diagonal(const T* diagonal) {
  d = diagonal;
  uniform.assign(a->owned.chunks().size(), T{1});
  if (!diagonal) return;
  for (std::size_t c = 0; c < uniform.size(); ++c) {
    const PackedChunk& chunk = a->owned.chunks()[c];
    uniform[c] = diagonal[chunk.first];
    for (LocalIndex i = 0; i < chunk.rows; ++i)
      if (diagonal[chunk.first + i] != uniform[c]) uniform[c] = 0;
  }
}

} // namespace atl
