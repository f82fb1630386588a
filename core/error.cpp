#include <atoll/core/error.hpp>
#include <atoll/core/types.hpp>

#include <new>

namespace atl {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
    return "usage";
  case ErrorKind::bad_input:
    return "bad input";
  case ErrorKind::environment:
    return "environment";
  case ErrorKind::limit:
    return "limit";
  case ErrorKind::internal:
    return "internal error";
  }
  return "unknown";
}

int exit_status(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage:
    return 2;
  case ErrorKind::bad_input:
  case ErrorKind::limit:
    return 3;
  case ErrorKind::environment:
    return 4;
  case ErrorKind::internal:
    return 5;
  }
  return 5;
}

void ensure(bool condition, const char* what) {
  if (!condition) throw Error(ErrorKind::internal, std::string("broken invariant: ") + what);
}

Error describe_current_exception() {
  try {
    throw;
  } catch (const Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return Error(ErrorKind::environment, "out of memory: use more ranks or a smaller problem");
  } catch (const std::length_error&) {
    return Error(ErrorKind::environment, "out of memory: a size exceeds what one process can hold");
  } catch (const std::exception& error) {
    return Error(ErrorKind::internal, error.what());
  } catch (...) {
    return Error(ErrorKind::internal, "an exception of unknown type");
  }
}

void throw_narrowing(std::int64_t value, std::int64_t low, std::int64_t high) {
  throw Error(ErrorKind::limit, "the size " + std::to_string(value) + " does not fit: at least " +
                                    std::to_string(low) + " and at most " + std::to_string(high) +
                                    " are possible on one rank; use more ranks");
}

} // namespace atl
