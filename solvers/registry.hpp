#pragma once

#include <atoll/solvers/krylov/cg.hpp>

#include <span>
#include <string>

namespace atl {

/// A method or preconditioner by the name a user gives it.
struct SolverName {
  const char* name;
  const char* meaning;
  bool available; ///< in this build; a name that is known but not available is refused with Error{environment}
};
ATOLL_API std::span<const SolverName> method_names();
ATOLL_API std::span<const SolverName> preconditioner_names();

/// Errors: Error{usage} with the nearest name for an unknown one, Error{environment} for one that this build lacks.
ATOLL_API void require_method(const std::string& name);
ATOLL_API void require_preconditioner(const std::string& name);
template <class T>
ATOLL_API std::unique_ptr<Preconditioner<T>> make_preconditioner(const std::string& name);

} // namespace atl
