// Products of random patterns against Eigen.
#include "random_csr.hpp"

#include <Eigen/SparseCore>

namespace atl::test {
namespace {

template <class T>
using EigenMatrix = Eigen::SparseMatrix<T, Eigen::RowMajor>;
template <class T>
using EigenVectors = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class T>
EigenMatrix<T> to_eigen(const HostCsr<T>& a) {
  std::vector<Eigen::Triplet<T>> triplets;
  for (std::size_t s = 0; s < static_cast<std::size_t>(a.rows); ++s)
    for (Offset e = a.row_begin[s]; e < a.row_begin[s + 1]; ++e) {
      const auto entry = static_cast<std::size_t>(e);
      const LocalIndex row = a.row_index.empty() ? static_cast<LocalIndex>(s) : a.row_index[s];
      triplets.emplace_back(row, a.column[entry], a.value[entry]);
    }
  EigenMatrix<T> matrix(a.rows, a.columns);
  matrix.setFromTriplets(triplets.begin(), triplets.end());
  return matrix;
}

template <class T>
EigenVectors<T> vectors(const std::vector<T>& values, Eigen::Index rows, Eigen::Index k) {
  return Eigen::Map<const EigenVectors<T>>(values.data(), rows, k);
}

template <class T>
std::vector<T> flat(const EigenVectors<T>& m) {
  return {m.data(), m.data() + m.size()};
}

class AgainstEigen : public testing::TestWithParam<ExecutorCase> {
 protected:
  template <class T>
  void check(LocalIndex rows, LocalIndex columns, LocalIndex k, bool shuffled, unsigned seed) {
    SCOPED_TRACE(testing::Message() << rows << " x " << columns << ", k = " << k << ", seed " << seed);
    const auto host = random_csr<T>(rows, columns, 15, shuffled, seed);
    const auto a = host.on(executor);
    const auto eigen = to_eigen(host);
    auto& kernels = executor->kernels<T>();
    const auto x = random_values<T>(Offset{columns} * k, 1), z = random_values<T>(Offset{rows} * k, 2);

    Array<T> y(executor, Offset{rows} * k);
    kernels.csr_multiply(a.view(), 0, rows, k, put(executor, x).data(), y.data());
    expect_near(y.to_host(), flat<T>(eigen * vectors(x, columns, k)), 64, "product");

    auto w = put(executor, x);
    kernels.csr_multiply_transposed(a.view(), k, put(executor, z).data(), w.data());
    // A column may collect products from many rows: a random column has about 5 of them, 64 at most here.
    expect_near(w.to_host(), flat<T>(vectors(x, columns, k) + eigen.transpose() * vectors(z, rows, k)), 256,
                "transposed product");
  }

  ExecutorPtr executor = GetParam().make();
};

TEST_P(AgainstEigen, ProductsOfRandomPatterns) {
  for (unsigned seed = 1; seed <= 4; ++seed)
    for (const LocalIndex k : {1, 3, 8}) {
      check<double>(4000, 3000, k, seed % 2, seed);
      check<float>(300, 400, k, seed % 2, seed);
    }
}

INSTANTIATE_TEST_SUITE_P(All, AgainstEigen, testing::ValuesIn(all_executors()), case_name);

} // namespace
} // namespace atl::test
