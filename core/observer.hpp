#pragma once

#include <atoll/core/types.hpp>

#include <memory>
#include <string_view>

namespace atl {

/// Hears what happens inside the library, which itself never prints. Every call comes on every rank.
/// Override what you need; a call must not communicate and should return quickly.
class Observer {
 public:
  virtual ~Observer() = default;
  /// A named stretch of work begins or ends: "read", "partition", "distribute", "setup", "solve", "write".
  virtual void phase_begins(std::string_view /*name*/) {}
  virtual void phase_ends(std::string_view /*name*/, double /*seconds*/) {}
  /// Work done of work in all, within the current phase.
  virtual void progress(Offset /*done*/, Offset /*all*/) {}
  /// One iteration of a solver: number, norm of the residual that the method carries, norm it is measured against.
  virtual void iteration(int /*number*/, double /*residual_norm*/, double /*reference_norm*/) {}
  /// Something the user should know that stops nothing: a fallback, a repair, a removed null space.
  virtual void warning(std::string_view /*text*/) {}
  /// A choice made from the matrix's properties or a self-test, with the reason.
  virtual void decision(std::string_view /*what*/, std::string_view /*why*/) {}
};

using ObserverPtr = std::shared_ptr<Observer>;

} // namespace atl
