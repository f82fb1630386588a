#pragma once

#include <atoll/core/kernels.hpp>
#include <atoll/solvers/preconditioner.hpp>

namespace atl {

/// No preconditioner: z = r.
template <class T>
class Identity final : public Preconditioner<T> {
 public:
  std::string name() const override { return "none"; }
  void setup(const DSparseMatrix<T>&) override {}
  void apply(const DVector<T>& r, DVector<T>& z) override {
    r.executor()->template kernels<T>().copy(r.owned_size(), r.data(), z.data());
  }
  bool is_identity() const override { return true; }
};

} // namespace atl
