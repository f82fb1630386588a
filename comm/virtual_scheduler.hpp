#pragma once
/// Not installed: one thread a rank, of which one runs at a time, chosen by a seeded generator.

#include <atoll/core/error.hpp>

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace atl {

/// Thrown in the ranks of a run that has failed, at their next call.
struct VirtualRunEnds {};

/// What a rank can wait for.
struct VirtualEvent {
  bool done = false;
  int waiter = -1; ///< the rank that waits, if any

  VirtualEvent() = default;
  VirtualEvent(const VirtualEvent&) = delete;
  VirtualEvent& operator=(const VirtualEvent&) = delete;
  virtual ~VirtualEvent() = default;
  virtual std::string text() const = 0; ///< "waits ..."
};

/// Passes the baton among the ranks. All members but run() belong to the rank that holds it, so that nothing
/// else in the virtual cluster needs a lock.
class VirtualScheduler {
 public:
  VirtualScheduler(int ranks, std::uint64_t seed, bool in_order);

  /// Runs body(rank) for each rank; returns when all have ended. Throws what the first failing rank threw.
  void run(const std::function<void(int)>& body);

  /// Others may go first, now and then.
  void pause(int rank);
  /// Others must be able to go first, even without reordering: for polling.
  void yield(int rank);
  void wait(int rank, VirtualEvent& event);
  void finish(VirtualEvent& event);
  /// Something on its way, that happens at a time of the scheduler's choice.
  void later(std::function<void()> delivery);

  /// Ends the run; the first failure counts.
  void fail(std::exception_ptr failure);
  void fail(const Error& error) { fail(std::make_exception_ptr(error)); }
  bool failed() const { return failure_ != nullptr; }
  double seconds() const { return static_cast<double>(events_) * 1e-4; }
  int ranks() const { return static_cast<int>(rank_.size()); }

 private:
  enum class State { runnable, waiting, returned };
  struct Rank {
    State state = State::runnable;
    const VirtualEvent* event = nullptr;
    std::condition_variable turn_comes;
  };
  static constexpr int nobody = -1;

  void enter(int rank);
  void leave(int rank);
  void hand_over(int rank);
  void pass_to(int next, std::unique_lock<std::mutex>& lock);
  int pick(int current);
  int pick_among_events();
  int next_in_turn(int current) const;
  int first_not_returned() const;
  void stop_if_failed() const;
  void make_runnable(int rank);
  void remove_runnable(int rank);
  Error deadlock() const;
  std::uint64_t random_below(std::uint64_t n);

  std::vector<Rank> rank_;
  std::vector<int> runnable_;
  std::vector<std::function<void()>> on_the_way_;
  std::exception_ptr failure_;
  std::uint64_t state_;
  bool in_order_;
  std::int64_t events_ = 0;

  std::mutex mutex_;
  int turn_ = nobody; // guarded by mutex_
};

} // namespace atl
