#pragma once

#include "bound.hpp"
#include "network.hpp"
#include "plan_part.hpp"
#include "session.hpp"

namespace atl::app {

/// What the model of an iteration's time is fed with.
struct PlanModel {
  int parts = 1;
  int reductions = 1;  ///< of one iteration
  Bandwidth bandwidth; ///< of bandwidth.ranks ranks together, each of which gets the same share
  Network network;
};

/// Local work is the traffic at the rank's share of the bandwidth; then come its messages, and when the slowest rank has
/// them, the reductions. Nothing is taken to overlap. Collective.
IterationSplit predict_iteration(const Context& context, const PlanModel& model, std::span<const PartFigures> mine);

/// Largest, mean, least and sum over the parts: the table and the keys "plan". Collective.
void report_parts(Session& session, int parts, std::span<const PartFigures> mine);
/// The model and what it says of an iteration. Local.
void report_prediction(Session& session, const PlanModel& model, const IterationSplit& split);

} // namespace atl::app
