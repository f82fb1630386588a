#include "network.hpp"

#include <atoll/core/options.hpp>

#include <fmt/format.h>

#include <bit>
#include <set>

namespace atl::app {

double Network::reduction_seconds(int ranks) const {
  return std::bit_width(static_cast<unsigned>(ranks - 1)) * latency;
}

namespace {

[[noreturn]] void refuse(std::string_view part, std::string_view what) {
  throw Error(
      ErrorKind::usage,
      fmt::format("'{}' {}; latency=SECONDS,bandwidth=BYTES_A_SECOND is expected, or one of them", part, what),
      "--network");
}

} // namespace

Network parse_network(const std::string& text) {
  Network network;
  std::set<std::string_view> seen;
  std::string_view rest = text;
  for (bool more = true; more;) {
    const std::string_view part = rest.substr(0, rest.find(','));
    more = part.size() < rest.size();
    rest.remove_prefix(part.size() + (more ? 1 : 0));
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view name = part.substr(0, equals);
    if (name != "latency" && name != "bandwidth") refuse(part, "is neither a latency nor a bandwidth");
    if (!seen.insert(name).second) refuse(part, "comes twice");
    const double value = parse_real(part.substr(std::min(equals + 1, part.size()))).value_or(-1);
    const bool is_latency = name == "latency";
    if (!(is_latency ? value >= 0 : value > 0))
      refuse(part, is_latency ? "is not a number >= 0" : "is not a number > 0");
    (is_latency ? network.latency : network.bandwidth) = value;
  }
  return network;
}

} // namespace atl::app
