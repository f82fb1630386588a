#pragma once

#include <atoll/comm/dsparse_matrix.hpp>

#include <string>

namespace atl {

/// M, an approximation of A whose inverse is cheap to apply. setup once a matrix (again after update_values),
/// apply once an iteration.
/// Ranks      setup() and apply() are collective. apply() allocates nothing.
template <class T>
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual std::string name() const = 0;
  virtual void setup(const DSparseMatrix<T>& a) = 0;
  /// z = M^-1 r on owned rows.
  virtual void apply(const DVector<T>& r, DVector<T>& z) = 0;
  virtual bool is_identity() const { return false; }
  /// d where apply() is z = d .* r, for methods that fold it into other passes; null for others.
  virtual const DVector<T>* diagonal() const { return nullptr; }
  virtual std::size_t bytes() const { return 0; } ///< on this rank
};

} // namespace atl
