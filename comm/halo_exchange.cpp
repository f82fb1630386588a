#include <atoll/comm/halo_exchange.hpp>
#include <atoll/core/kernels.hpp>
#include <atoll/core/timer.hpp>

namespace atl {

/// Buffers and channels for one number of columns. "near" holds what this rank's owned values become or
/// receive (send lists), "far" what its ghosts do (receive lists).
template <class T>
struct HaloExchange<T>::Buffers {
  LocalIndex columns;
  Array<T> near, far;
  std::vector<T> staged_near, staged_far; ///< host copies, where the executor's memory is not the host's
  std::unique_ptr<Channel> forward, reverse;

  T* message_near() { return staged_near.empty() ? near.data() : staged_near.data(); }
  T* message_far() { return staged_far.empty() ? far.data() : staged_far.data(); }
};

namespace {

template <class T>
std::vector<ChannelPeer> peers(std::span<const HaloPlan::Neighbour> neighbours, LocalIndex columns) {
  std::vector<ChannelPeer> result;
  for (const auto& n : neighbours)
    result.push_back({n.rank, static_cast<std::size_t>(n.count) * static_cast<std::size_t>(columns) * sizeof(T)});
  return result;
}

template <class T>
std::byte* raw(T* memory) {
  return reinterpret_cast<std::byte*>(memory);
}

} // namespace

template <class T>
HaloExchange<T>::HaloExchange(const Context& context, HaloPlanPtr plan)
    : context_(context), plan_(std::move(plan)), send_index_(context_.executor, plan_->send_index()) {
  buffers(1);
}

template <class T>
HaloExchange<T>::~HaloExchange() = default;

template <class T>
typename HaloExchange<T>::Buffers& HaloExchange<T>::buffers(LocalIndex columns) {
  for (auto& known : buffers_)
    if (known->columns == columns) return *known;

  auto fresh = std::make_unique<Buffers>();
  fresh->columns = columns;
  fresh->near = Array<T>(context_.executor, Offset{plan_->n_send()} * columns);
  fresh->far = Array<T>(context_.executor, Offset{plan_->n_receive()} * columns);
  if (!context_.executor->host_accessible()) {
    fresh->staged_near.resize(static_cast<std::size_t>(fresh->near.size()));
    fresh->staged_far.resize(static_cast<std::size_t>(fresh->far.size()));
  }
  const auto send = peers<T>(plan_->send(), columns), receive = peers<T>(plan_->receive(), columns);
  const ChannelKind kind = context_.channel_kind;
  fresh->forward =
      context_.comm->open_channel(kind, send, raw(fresh->message_near()), receive, raw(fresh->message_far()));
  fresh->reverse =
      context_.comm->open_channel(kind, receive, raw(fresh->message_far()), send, raw(fresh->message_near()));
  buffers_.push_back(std::move(fresh));
  return *buffers_.back();
}

/// The clock is left alone where there are no messages.
template <class T>
void HaloExchange<T>::timed(Channel& channel, void (Channel::*step)()) {
  if (plan_->n_send() == 0 && plan_->n_receive() == 0) return (channel.*step)();
  const Timer timer;
  (channel.*step)();
  seconds_ += timer.seconds();
}

template <class T>
HaloInFlight<T> HaloExchange<T>::start_forward(DVector<T>& x) {
  ensure(!in_flight_, "a halo exchange was started before the last one was finished");
  Buffers& b = buffers(x.columns());
  Executor& executor = *context_.executor;
  if (b.near.size()) {
    executor.template kernels<T>().gather(plan_->n_send(), send_index_.data(), x.columns(), x.data(), b.near.data());
    if (!b.staged_near.empty()) executor.copy_to_host(b.near.data(), b.staged_near.data(), b.near.bytes());
  }
  timed(*b.forward, &Channel::start);
  in_flight_ = true;
  return {this, &x, true};
}

template <class T>
HaloInFlight<T> HaloExchange<T>::start_reverse(DVector<T>& x) {
  ensure(!in_flight_, "a halo exchange was started before the last one was finished");
  Buffers& b = buffers(x.columns());
  Executor& executor = *context_.executor;
  if (b.far.size()) {
    if (b.staged_far.empty())
      executor.copy_within(x.ghosts(), b.far.data(), b.far.bytes());
    else
      executor.copy_to_host(x.ghosts(), b.staged_far.data(), b.far.bytes());
  }
  timed(*b.reverse, &Channel::start);
  in_flight_ = true;
  return {this, &x, false};
}

template <class T>
void HaloExchange<T>::finish(DVector<T>& x, bool forward) {
  Buffers& b = buffers(x.columns());
  Executor& executor = *context_.executor;
  in_flight_ = false;
  if (forward) {
    timed(*b.forward, &Channel::wait);
    if (!b.far.size()) return;
    if (b.staged_far.empty())
      executor.copy_within(b.far.data(), x.ghosts(), b.far.bytes());
    else
      executor.copy_from_host(b.staged_far.data(), x.ghosts(), b.far.bytes());
  } else {
    timed(*b.reverse, &Channel::wait);
    if (!b.near.size()) return;
    if (!b.staged_near.empty()) executor.copy_from_host(b.staged_near.data(), b.near.data(), b.near.bytes());
    executor.template kernels<T>().scatter_add(plan_->n_send(), send_index_.data(), x.columns(), b.near.data(),
                                               x.data());
  }
}

template <class T>
std::size_t HaloExchange<T>::bytes() const {
  std::size_t sum = send_index_.bytes();
  for (const auto& b : buffers_)
    sum += b->near.bytes() + b->far.bytes() + (b->staged_near.size() + b->staged_far.size()) * sizeof(T);
  return sum;
}

template <class T>
void HaloInFlight<T>::finish() {
  if (auto* exchange = std::exchange(exchange_, nullptr)) exchange->finish(*x_, forward_);
}

template <class T>
HaloInFlight<T>::~HaloInFlight() {
  try {
    finish();
  } catch (...) {
    // An exception is under way already, or the next collective will meet the same failure and report it.
  }
}

template class HaloExchange<float>;
template class HaloExchange<double>;
template class HaloInFlight<float>;
template class HaloInFlight<double>;

} // namespace atl
