#include "right_hand_side.hpp"

#include "vectors.hpp"

#include <atoll/comm/reductions.hpp>
#include <atoll/core/random.hpp>

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <optional>

namespace atl::app {

namespace {

/// The seed of "random" (1) or "random:SEED"; nothing for another name.
std::optional<std::uint64_t> random_seed(std::string_view name) {
  if (name == "random") return 1;
  constexpr std::string_view prefix = "random:";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint64_t seed = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), seed);
  if (error != std::errc{} || end != name.data() + name.size())
    throw Error(ErrorKind::usage,
                fmt::format("the seed of --rhs random:SEED must be a whole number, not '{}'", name));
  return seed;
}

/// b = A ones. What rounding leaves of a sum that is zero would be a right-hand side of noise.
template <class T>
void set_to_product_with_ones(const DSparseMatrix<T>& a, DVector<T>& b) {
  DVector<T> ones = a.make_col_vector();
  ones.fill(1);
  a.multiply(ones, b);
  const double size = norm2(a.row_abs_sums());
  if (!(size > 0) || norm2(b) > 100 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size) return;
  b.fill(0);
  a.context().observer->warning("all rows sum to zero, so the right-hand side A*ones is zero, and so is the answer: "
                                "--rhs random gives the solver work");
}

} // namespace

bool is_right_hand_side_file(const std::string& name) {
  return name != "A*ones" && name != "ones" && !random_seed(name);
}

template <class T>
DVector<T> right_hand_side(const Distributed<T>& system, const std::string& name) {
  const DSparseMatrix<T>& a = *system.matrix;
  if (is_right_hand_side_file(name)) return read_vector<T>(a.context(), name, a.row_map(), system.rows, 1);

  DVector<T> b = a.make_row_vector();
  if (name == "ones") {
    b.fill(1);
  } else if (const auto seed = random_seed(name)) {
    std::vector<T> values(static_cast<std::size_t>(b.owned_size()));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto row = static_cast<std::uint64_t>(system.rows.original(static_cast<LocalIndex>(i)));
      values[i] = static_cast<T>(hash_uniform(*seed, row));
    }
    b.set_owned(values);
  } else {
    set_to_product_with_ones(a, b);
  }
  return b;
}

template DVector<float> right_hand_side(const Distributed<float>&, const std::string&);
template DVector<double> right_hand_side(const Distributed<double>&, const std::string&);

} // namespace atl::app
