#pragma once
// Compiled once for each instruction set, with ATOLL_LOOPS naming it. Everything here is in an unnamed namespace and
// nothing from the standard library is called: an inline function compiled for a newer processor must not
// become the one that the whole library uses.

#include <atoll/core/host/packed_loops_columns.hpp>
#include <atoll/core/host/packed_loops_exact.hpp>
#include <atoll/core/host/packed_loops_products.hpp>
#include <atoll/core/host/packed_loops_vectors.hpp>

namespace atl::host {
namespace {

template <class T>
constexpr PackedLoops<T> table{product<T, T>, product<T, double>, product_columns<T>, direction<T>, step<T>,
                               dots<T>,       dot_terms<T>,       products<T>,        exact_levels};

} // namespace

#define ATOLL_JOIN_(a, b) a##b
#define ATOLL_JOIN(a, b) ATOLL_JOIN_(a, b)
extern const PackedLoops<float>* const ATOLL_JOIN(float_loops_, ATOLL_LOOPS);
extern const PackedLoops<double>* const ATOLL_JOIN(double_loops_, ATOLL_LOOPS);
const PackedLoops<float>* const ATOLL_JOIN(float_loops_, ATOLL_LOOPS) = &table<float>;
const PackedLoops<double>* const ATOLL_JOIN(double_loops_, ATOLL_LOOPS) = &table<double>;

} // namespace atl::host
