#include <atoll/comm/exact_reduction.hpp>

#include <algorithm>
#include <array>

namespace atl {

void all_reduce_exact(Communicator& comm, std::span<ExactSum> sums) {
  constexpr std::size_t at_once = 4, length = ExactSum::n_digits + 1;
  if (comm.size() == 1) return;
  std::array<std::int64_t, at_once * length> digits;
  for (; !sums.empty(); sums = sums.subspan(std::min(sums.size(), at_once))) {
    const auto now = sums.first(std::min(sums.size(), at_once));
    for (std::size_t i = 0; i < now.size(); ++i) {
      now[i].carry();
      std::ranges::copy(now[i].digits(), digits.begin() + static_cast<std::ptrdiff_t>(i * length));
    }
    comm.all_reduce(std::span(digits).first(now.size() * length), ReduceOp::sum);
    for (std::size_t i = 0; i < now.size(); ++i)
      std::ranges::copy(std::span(digits).subspan(i * length, length), now[i].digits().begin());
  }
}

} // namespace atl
