#pragma once

#include "job.hpp"
#include "listener.hpp"
#include "session.hpp"

namespace atl::app {

/// One function a command: runs it over all ranks and returns the exit status. Errors leave as exceptions,
/// the same on all ranks. Collective.
int run(Session& session, Listener& listener, const CommonJob& common, const SolveJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const MultiplyJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const PartitionJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const ConvertJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const InfoJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const BenchJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const PlanJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const OptionsJob& job);
int run(Session& session, Listener& listener, const CommonJob& common, const DoctorJob& job);

} // namespace atl::app
