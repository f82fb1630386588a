#pragma once

#include "distribute.hpp"
#include "job.hpp"

#include <atoll/solvers/solve_result.hpp>

namespace atl::app {

/// Refuses, before any time is spent, what cannot be solved by the methods of this build. Collective.
/// Errors     Error{bad_input}, the same on all ranks, naming original rows and columns from 1: entries that
/// are not
///            finite; rows that are empty or all zero; a matrix that differs from its transpose.
template <class T>
void require_solvable(const Distributed<T>& system, const std::string& name);

/// Refuses --null-space constant for a matrix whose rows do not sum to zero, nearly. Collective.
/// Errors     Error{bad_input}, the same on all ranks, naming original rows from 1.
template <class T>
void require_constant_null_space(const Distributed<T>& system, const std::string& name);

/// Why the solve ended as it did: cause and next step. Where it failed because the matrix is singular and b has a
/// part that no x can reach, that becomes result.reason. null_space_dimension: constants that were removed.
/// Collective; looks at the matrix only where the solve did not converge.
template <class T>
std::string explain_ending(const SolveJob& job, const DSparseMatrix<T>& a, const DVector<T>& b,
                           std::int64_t null_space_dimension, SolveResult& result);

} // namespace atl::app
