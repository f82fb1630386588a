#pragma once

#include "bench_meter.hpp"
#include "distribute.hpp"

namespace atl::app {

/// Products of one matrix in each storage form, with one vector and with several, and the residual. Collective, as all
/// here.
template <class T>
void bench_products(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// Vector passes and dots over the owned rows of a matrix.
template <class T>
void bench_vectors(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// Messages: packing and exchange of the halo, and the sum of four numbers. Nothing on one rank.
template <class T>
void bench_messages(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// One iteration of conjugate gradients with Jacobi, where it runs on this matrix for long enough.
template <class T>
void bench_iteration(BenchMeter& meter, const std::string& name, const std::shared_ptr<const DSparseMatrix<T>>& a);

/// Rows that these add for one matrix, at most.
inline constexpr int bench_rows_of_products = 9, bench_rows_of_vectors = 6, bench_rows_of_messages = 3,
                     bench_rows_of_iterations = 1;

} // namespace atl::app
