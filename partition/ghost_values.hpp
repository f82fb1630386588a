#pragma once

#include <atoll/comm/halo_plan.hpp>

namespace atl {

/// Brings one value of each ghost from its owner, along a HaloPlan. For integers of set-up phases; vectors
/// use HaloExchange. Ranks      construction and exchange() are collective over neighbours (construction
/// takes a tag: all ranks).
template <class T>
class GhostValues {
 public:
  explicit GhostValues(HaloPlanPtr plan)
      : plan_(std::move(plan)), tag_(plan_->map()->comm()->next_tag()), packed_(plan_->n_send()),
        ghosts_(plan_->n_receive()) {}

  /// value(i) of an owned row i; the answer holds the values of the ghosts, by position.
  template <class Value>
  std::span<const T> exchange(const Value& value) {
    for (std::size_t k = 0; k < packed_.size(); ++k) packed_[k] = value(plan_->send_index()[k]);
    transfer();
    return ghosts_;
  }
  /// values[0 .. n_owned) fill values[n_owned .. n_local).
  void update(std::vector<T>& values) {
    exchange([&](LocalIndex i) { return values[i]; });
    std::copy(ghosts_.begin(), ghosts_.end(), values.begin() + plan_->map()->n_owned());
  }

 private:
  void transfer() {
    Communicator& comm = *plan_->map()->comm();
    std::vector<RequestPtr> requests;
    auto* in = ghosts_.data();
    for (const auto& peer : plan_->receive()) {
      requests.push_back(comm.receive(std::as_writable_bytes(std::span(in, peer.count)), peer.rank, tag_));
      in += peer.count;
    }
    const auto* out = packed_.data();
    for (const auto& peer : plan_->send()) {
      requests.push_back(comm.send(std::as_bytes(std::span(out, peer.count)), peer.rank, tag_));
      out += peer.count;
    }
    for (const auto& request : requests) request->wait();
  }

  HaloPlanPtr plan_;
  int tag_;
  std::vector<T> packed_, ghosts_;
};

} // namespace atl
