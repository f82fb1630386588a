#pragma once

#include "job.hpp"
#include "listener.hpp"
#include "session.hpp"

#include <atoll/solvers/solve_result.hpp>

namespace atl::app {

/// What a solve tells people and programs. Local, except report_solve_memory().
void report_method(Session& session, const SolveJob& job, const std::string& preconditioner,
                   std::int64_t null_space_dimension);
/// why: explain_ending().
void report_result(Session& session, const SolveJob& job, const SolveResult& result, const std::string& why,
                   const Listener& listener);
/// Bytes of this rank. Collective.
void report_solve_memory(Session& session, std::size_t matrix, std::size_t vectors, std::size_t preconditioner);

} // namespace atl::app
