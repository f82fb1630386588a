#include <atoll/core/host/packed_loops.hpp>

#include <array>

namespace atl::host {

// Defined by packed_loops_body.hpp, once for each instruction set.
#define ATOLL_DECLARE_LOOPS(set)                                                                                     \
  extern const PackedLoops<float>* const float_loops_##set;                                                          \
  extern const PackedLoops<double>* const double_loops_##set;
ATOLL_DECLARE_LOOPS(baseline)
#ifdef ATOLL_LOOPS_X86
ATOLL_DECLARE_LOOPS(v3)
ATOLL_DECLARE_LOOPS(v4)
#endif
#undef ATOLL_DECLARE_LOOPS

namespace {

struct Set {
  std::string_view name;
  bool usable;
  const PackedLoops<float>* of_float;
  const PackedLoops<double>* of_double;
};

const auto& sets() {
#ifdef ATOLL_LOOPS_X86
  // What -march=x86-64-v3 and -v4 may use beyond SSE2; every processor with AVX2 or AVX-512BW has the rest.
  const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512cd");
  static const std::array<Set, 3> all{{{"x86-64-v4", v4, float_loops_v4, double_loops_v4},
                                       {"x86-64-v3", v3, float_loops_v3, double_loops_v3},
                                       {"baseline", true, float_loops_baseline, double_loops_baseline}}};
#else
  static const std::array<Set, 1> all{{{"baseline", true, float_loops_baseline, double_loops_baseline}}};
#endif
  return all;
}

const Set& widest() {
  static const Set* const found = [] {
    for (const Set& set : sets())
      if (set.usable) return &set;
    return &sets().back();
  }();
  return *found;
}

const Set* named(std::string_view name) {
  for (const Set& set : sets())
    if (set.usable && set.name == name) return &set;
  return nullptr;
}

} // namespace

template <>
const PackedLoops<float>& packed_loops<float>() {
  return *widest().of_float;
}
template <>
const PackedLoops<double>& packed_loops<double>() {
  return *widest().of_double;
}
template <>
const PackedLoops<float>* packed_loops<float>(std::string_view set) {
  const Set* found = named(set);
  return found ? found->of_float : nullptr;
}
template <>
const PackedLoops<double>* packed_loops<double>(std::string_view set) {
  const Set* found = named(set);
  return found ? found->of_double : nullptr;
}
std::string_view packed_loops_name() { return widest().name; }

} // namespace atl::host
