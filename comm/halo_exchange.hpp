#pragma once

#include <atoll/comm/dvector.hpp>
#include <atoll/comm/halo_plan.hpp>

#include <utility>

namespace atl {

template <class T>
class HaloExchange;

/// An exchange under way. finish() must be called (the destructor finishes, but only waits for messages that are
/// already under way: it starts none).
template <class T>
class ATOLL_API HaloInFlight {
 public:
  HaloInFlight(HaloInFlight&& other) noexcept
      : exchange_(std::exchange(other.exchange_, nullptr)), x_(other.x_), forward_(other.forward_) {}
  HaloInFlight& operator=(HaloInFlight&&) = delete;
  ~HaloInFlight();
  void finish();

 private:
  friend class HaloExchange<T>;
  HaloInFlight(HaloExchange<T>* exchange, DVector<T>* x, bool forward)
      : exchange_(exchange), x_(x), forward_(forward) {}
  HaloExchange<T>* exchange_;
  DVector<T>* x_;
  bool forward_;
};

/// Carries values along a HaloPlan: forward (owners fill ghosts) or reverse (ghosts are summed into their owners).
/// One message a neighbour, whatever the number of columns. Buffers and requests for one column are made by the
/// constructor, for more at the first use with that number, and kept; where host code may not look, they are staged
/// through host memory.
/// Ranks      the constructor and the first use with a number of columns are collective; start_*() and finish() are
///            collective over neighbours. One exchange may be in flight at a time; a second start is Error{internal}.
template <class T>
class ATOLL_API HaloExchange {
 public:
  HaloExchange(const Context& context, HaloPlanPtr plan);
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  [[nodiscard]] HaloInFlight<T> start_forward(DVector<T>& x);
  [[nodiscard]] HaloInFlight<T> start_reverse(DVector<T>& x);
  void forward(DVector<T>& x) { start_forward(x).finish(); }
  void reverse(DVector<T>& x) { start_reverse(x).finish(); }

  const HaloPlanPtr& plan() const { return plan_; }
  std::size_t bytes() const;                  ///< buffers held now
  double seconds() const { return seconds_; } ///< spent on messages so far, on this rank, waiting included

 private:
  friend class HaloInFlight<T>;
  struct Buffers;
  Buffers& buffers(LocalIndex columns);
  void finish(DVector<T>& x, bool forward);
  void timed(Channel& channel, void (Channel::*step)());

  Context context_;
  HaloPlanPtr plan_;
  Array<LocalIndex> send_index_;
  std::vector<std::unique_ptr<Buffers>> buffers_;
  bool in_flight_ = false;
  double seconds_ = 0;
};

extern template class HaloExchange<float>;
extern template class HaloExchange<double>;
extern template class HaloInFlight<float>;
extern template class HaloInFlight<double>;

} // namespace atl
