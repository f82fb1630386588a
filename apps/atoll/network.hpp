#pragma once

#include <string>

namespace atl::app {

/// What messages cost: a message of n bytes takes latency + n / bandwidth seconds.
struct Network {
  double latency = 2e-6;   ///< seconds
  double bandwidth = 1e10; ///< bytes a second that a rank sends, while it receives as many

  double seconds(double messages, double bytes) const { return messages * latency + bytes / bandwidth; }
  /// What of that the messages would take were they empty, as a fraction.
  double latency_share(double messages, double bytes) const {
    const double all = seconds(messages, bytes);
    return all > 0 ? messages * latency / all : 0;
  }
  /// A sum over all ranks of a few numbers: log2(ranks) rounds of messages, rounded up.
  double reduction_seconds(int ranks) const;
};

/// "latency=2e-6,bandwidth=1e10", either or both in any order; what is not named keeps its default.
/// Errors: Error{usage} that quotes the part.
Network parse_network(const std::string& text);

} // namespace atl::app
