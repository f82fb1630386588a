#include <atoll/comm/virtual_scheduler.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <thread>

namespace atl {

VirtualScheduler::VirtualScheduler(int ranks, std::uint64_t seed, bool in_order)
    : rank_(static_cast<std::size_t>(ranks)), state_(seed), in_order_(in_order) {
  for (int r = 0; r < ranks; ++r) runnable_.push_back(r);
}

void VirtualScheduler::run(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int r = 0; r < ranks(); ++r)
    threads.emplace_back([this, r, &body] {
      enter(r);
      try {
        if (!failed()) body(r);
      } catch (const VirtualRunEnds&) {
        // another rank's failure is told
      } catch (...) {
        fail(std::current_exception());
      }
      leave(r);
    });
  {
    std::unique_lock lock(mutex_);
    pass_to(pick(nobody), lock);
  }
  for (std::thread& thread : threads) thread.join();
  if (failure_) std::rethrow_exception(failure_);
}

// ---- the baton

void VirtualScheduler::enter(int rank) {
  std::unique_lock lock(mutex_);
  rank_[static_cast<std::size_t>(rank)].turn_comes.wait(lock, [&] { return turn_ == rank; });
}

void VirtualScheduler::leave(int rank) {
  rank_[static_cast<std::size_t>(rank)].state = State::returned;
  remove_runnable(rank);
  const int next = pick(rank);
  std::unique_lock lock(mutex_);
  pass_to(next, lock);
}

void VirtualScheduler::hand_over(int rank) {
  const int next = pick(rank);
  if (next == rank) return;
  std::unique_lock lock(mutex_);
  pass_to(next, lock);
  rank_[static_cast<std::size_t>(rank)].turn_comes.wait(lock, [&] { return turn_ == rank; });
}

void VirtualScheduler::pass_to(int next, std::unique_lock<std::mutex>&) {
  turn_ = next;
  if (next != nobody) rank_[static_cast<std::size_t>(next)].turn_comes.notify_one();
}

// ---- whose turn it is

int VirtualScheduler::pick(int current) {
  if (!failed() && runnable_.empty() && on_the_way_.empty() && first_not_returned() != nobody) fail(deadlock());
  if (failed()) return first_not_returned();
  if (runnable_.empty() && on_the_way_.empty()) return nobody;
  ++events_;
  return in_order_ ? next_in_turn(current) : pick_among_events();
}

int VirtualScheduler::pick_among_events() {
  for (;;) {
    const std::size_t choice = random_below(runnable_.size() + on_the_way_.size());
    if (choice < runnable_.size()) return runnable_[choice];
    std::swap(on_the_way_[choice - runnable_.size()], on_the_way_.back());
    const auto delivery = std::move(on_the_way_.back());
    on_the_way_.pop_back();
    ++events_;
    delivery();
  }
}

int VirtualScheduler::next_in_turn(int current) const {
  const auto after = [&](int rank) { return (rank - current - 1 + 2 * ranks()) % ranks(); };
  return *std::min_element(runnable_.begin(), runnable_.end(), [&](int a, int b) { return after(a) < after(b); });
}

int VirtualScheduler::first_not_returned() const {
  for (int r = 0; r < ranks(); ++r)
    if (rank_[static_cast<std::size_t>(r)].state != State::returned) return r;
  return nobody;
}

// SplitMix64. The bias of the remainder does not matter here.
std::uint64_t VirtualScheduler::random_below(std::uint64_t n) {
  std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return (z ^ (z >> 31)) % n;
}

// ---- what ranks do

// Destructors that run because of an exception go on quietly.
void VirtualScheduler::stop_if_failed() const {
  if (failed() && std::uncaught_exceptions() == 0) throw VirtualRunEnds{};
}

void VirtualScheduler::pause(int rank) {
  stop_if_failed();
  if (in_order_ || failed() || random_below(4) != 0) return; // a change of threads is dear
  hand_over(rank);
  stop_if_failed();
}

void VirtualScheduler::yield(int rank) {
  stop_if_failed();
  if (failed()) return;
  hand_over(rank);
  stop_if_failed();
}

void VirtualScheduler::wait(int rank, VirtualEvent& event) {
  if (event.done) return pause(rank);
  stop_if_failed();
  if (failed()) return;
  Rank& mine = rank_[static_cast<std::size_t>(rank)];
  event.waiter = rank;
  mine.event = &event;
  mine.state = State::waiting;
  remove_runnable(rank);
  hand_over(rank);
  event.waiter = -1;
  mine.event = nullptr;
  if (mine.state == State::waiting) make_runnable(rank); // the run has failed
  stop_if_failed();
}

void VirtualScheduler::finish(VirtualEvent& event) {
  event.done = true;
  if (event.waiter >= 0 && rank_[static_cast<std::size_t>(event.waiter)].state == State::waiting)
    make_runnable(event.waiter);
}

void VirtualScheduler::later(std::function<void()> delivery) {
  if (in_order_)
    delivery();
  else
    on_the_way_.push_back(std::move(delivery));
}

void VirtualScheduler::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
}

void VirtualScheduler::make_runnable(int rank) {
  rank_[static_cast<std::size_t>(rank)].state = State::runnable;
  runnable_.push_back(rank);
}

void VirtualScheduler::remove_runnable(int rank) { std::erase(runnable_, rank); }

Error VirtualScheduler::deadlock() const {
  constexpr int most = 8; // the line stays readable
  std::string text;
  int told = 0, others = 0;
  for (int r = 0; r < ranks(); ++r) {
    const Rank& rank = rank_[static_cast<std::size_t>(r)];
    if (told == most) {
      ++others;
      continue;
    }
    ++told;
    text += fmt::format("{}rank {} {}", r == 0 ? "" : "; ", r, rank.event ? rank.event->text() : "has returned");
  }
  if (others > 0) text += fmt::format("; and {} more ranks", others);
  return Error(ErrorKind::internal, "deadlock, no rank can go on: " + text);
}

} // namespace atl
