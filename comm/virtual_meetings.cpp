#include <atoll/comm/virtual_meetings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace atl {
namespace {

using Seats = std::vector<VirtualSeatPtr>;

template <class T>
void combine(ReduceOp op, std::span<const T> from, std::vector<T>& into) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    switch (op) {
    case ReduceOp::sum:
      into[i] += from[i];
      break;
    case ReduceOp::min:
      into[i] = std::min(into[i], from[i]);
      break;
    case ReduceOp::max:
      into[i] = std::max(into[i], from[i]);
      break;
    }
  }
}

template <class T>
void all_reduce(const Seats& seats, std::span<T> VirtualSeat::*values) {
  const std::span<T> first = seats[0].get()->*values;
  std::vector<T> result(first.begin(), first.end());
  for (std::size_t r = 1; r < seats.size(); ++r) combine<T>(seats[r]->op, seats[r].get()->*values, result);
  for (const VirtualSeatPtr& seat : seats) std::copy(result.begin(), result.end(), (seat.get()->*values).begin());
}

void exclusive_sum(const Seats& seats) {
  std::int64_t before = 0;
  for (const VirtualSeatPtr& seat : seats) before += std::exchange(seat->integers[0], before);
}

void broadcast(const Seats& seats) {
  const VirtualSeat& root = *seats[static_cast<std::size_t>(seats[0]->root)];
  for (const VirtualSeatPtr& seat : seats)
    if (seat.get() != &root) std::copy(root.bytes.begin(), root.bytes.end(), seat->bytes.begin());
}

void all_gather(const Seats& seats) {
  for (const VirtualSeatPtr& seat : seats) {
    auto out = seat->bytes.begin();
    for (const VirtualSeatPtr& from : seats) out = std::copy(from->mine.begin(), from->mine.end(), out);
  }
}

void carry_out(const Seats& seats) {
  switch (seats[0]->kind) {
  case VirtualSeat::Kind::barrier:
    return;
  case VirtualSeat::Kind::all_reduce:
    all_reduce(seats, &VirtualSeat::reals);
    return all_reduce(seats, &VirtualSeat::integers);
  case VirtualSeat::Kind::exclusive_sum:
    return exclusive_sum(seats);
  case VirtualSeat::Kind::broadcast:
    return broadcast(seats);
  case VirtualSeat::Kind::all_gather:
    return all_gather(seats);
  }
}

bool fit(const VirtualSeat& a, const VirtualSeat& b) {
  return a.kind == b.kind && a.op == b.op && a.root == b.root && a.reals.size() == b.reals.size() &&
         a.integers.size() == b.integers.size() && a.bytes.size() == b.bytes.size();
}

// The fault of a meeting whose ranks came with different calls.
std::optional<Error> find_fault(const Seats& seats) {
  std::vector<CollectiveCall> calls;
  for (const VirtualSeatPtr& seat : seats) calls.push_back(seat->call);
  try {
    require_same(calls);
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

} // namespace

std::string VirtualSeat::name() const {
  switch (kind) {
  case Kind::barrier:
    return "barrier";
  case Kind::all_reduce:
    return "all_reduce";
  case Kind::exclusive_sum:
    return "exclusive_sum";
  case Kind::broadcast:
    return "broadcast";
  case Kind::all_gather:
    return "all_gather";
  }
  return "collective";
}

std::string VirtualSeat::text() const { return "waits in " + (call.sequence > 0 ? call.text() : name()); }

void VirtualMeetings::join(int rank, const VirtualSeatPtr& seat) {
  const auto r = static_cast<std::size_t>(rank);
  const auto number = static_cast<std::size_t>(attended_[r]++ - ended_);
  if (number == open_.size()) open_.emplace_back().seats.resize(attended_.size());
  Meeting& meeting = open_[number];
  meeting.seats[r] = seat;
  if (++meeting.present < scheduler_.ranks()) return;
  // All ranks are here, so they have left all earlier meetings: this is the oldest.
  const Seats seats = std::move(meeting.seats);
  open_.pop_front();
  ++ended_;
  end(seats);
}

void VirtualMeetings::end(const Seats& seats) {
  for (const VirtualSeatPtr& seat : seats) {
    if (!seat->dropped) continue;
    scheduler_.fail(Error(ErrorKind::internal, "a rank dropped the request of " + seat->name() + " without wait()"));
    return;
  }
  const std::optional<Error> fault = find_fault(seats);
  for (const VirtualSeatPtr& seat : seats) {
    seat->error = fault;
    if (fault || fit(*seats[0], *seat)) continue;
    scheduler_.fail(
        Error(ErrorKind::internal, fmt::format("ranks have parted: {} meets {}, or their sizes or roots differ",
                                               seats[0]->name(), seat->name())));
    return;
  }
  if (!fault) {
    count(*seats[0]);
    carry_out(seats);
  }
  for (const VirtualSeatPtr& seat : seats) scheduler_.finish(*seat);
}

void VirtualMeetings::count(const VirtualSeat& seat) {
  const bool reduction = seat.kind == VirtualSeat::Kind::all_reduce || seat.kind == VirtualSeat::Kind::exclusive_sum;
  ++(reduction ? traffic_.reductions : traffic_.other_collectives);
}

} // namespace atl
