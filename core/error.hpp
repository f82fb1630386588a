#pragma once

#include <atoll/core/export.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace atl {

/// What went wrong, by who can mend it. The command's exit status follows from it (see exit_status()).
enum class ErrorKind {
  usage,       ///< the call or the command line is wrong
  bad_input,   ///< a file or a matrix is not what it should be
  environment, ///< something is missing on this machine: plug-in, MPI feature, memory, permission to write
  limit,       ///< a size does not fit the type that must hold it
  internal     ///< a broken invariant: a fault of Atoll
};

ATOLL_API std::string_view to_string(ErrorKind kind);

/// 2 usage, 3 bad input or limit, 4 environment, 5 internal.
ATOLL_API int exit_status(ErrorKind kind);

/// Misuse, bad input and missing parts. Numerical endings are no errors: they are a reason in SolveResult.
/// The text is one line: what, where, the value seen, the value expected, the next step.
class ATOLL_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& what, std::string where = {})
      : std::runtime_error(what), kind_(kind), where_(std::move(where)) {}

  ErrorKind kind() const { return kind_; }
  /// File and line of the input, option, or function; may be empty.
  const std::string& where() const { return where_; }
  /// "where: what", or "what" alone.
  std::string line() const { return where_.empty() ? what() : where_ + ": " + what(); }

 private:
  ErrorKind kind_;
  std::string where_;
};

/// Throws Error{internal} unless the condition holds. For invariants of Atoll itself, not for input.
ATOLL_API void ensure(bool condition, const char* what);

/// The Error that describes any exception in flight; std::bad_alloc becomes Error{environment}.
ATOLL_API Error describe_current_exception();

} // namespace atl
