#include <atoll/comm/agree.hpp>
#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/partition/scotch.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <mutex>
#include <numeric>

#include <ptscotch.h>

namespace atl {
namespace {

constexpr const char* place = "Scotch";
constexpr std::int64_t number_max = std::numeric_limits<SCOTCH_Num>::max();

/// Scotch's strategies and messages are not made for two threads of one process.
std::mutex& one_at_a_time() {
  static std::mutex mutex;
  return mutex;
}

/// All checks that need no call of the graph routines. The same outcome on all ranks.
void check(Communicator& comm, const DGraph& graph) {
  if (SCOTCH_numSizeof() != sizeof(SCOTCH_Num))
    throw Error(ErrorKind::environment,
                fmt::format("the loaded Scotch counts in {} bytes, but its header said {}: a library of another "
                            "integer width was found first; mend the library path",
                            SCOTCH_numSizeof(), sizeof(SCOTCH_Num)),
                place);
  if (!scotch_can_run(comm))
    throw Error(ErrorKind::environment,
                fmt::format("PT-Scotch needs an MPI communicator, but these {} ranks talk through '{}'; use the "
                            "partitioner metis, coordinates or block",
                            comm.size(), comm.name()),
                place);
  const std::int64_t edges = comm.all_reduce(std::ssize(graph.neighbour), ReduceOp::sum);
  const std::int64_t weight =
      comm.all_reduce(std::accumulate(graph.weight.begin(), graph.weight.end(), std::int64_t{0}), ReduceOp::sum);
  if (const std::int64_t largest = std::max({graph.n(), edges, weight}); largest > number_max)
    throw Error(ErrorKind::limit,
                fmt::format("the graph has {} rows, {} edge ends and weight {}, but this Scotch counts to {}; "
                            "use the partitioner metis, coordinates or block",
                            graph.n(), edges, weight, number_max),
                place);
}

/// The graph in Scotch's integers.
struct ScotchArrays {
  std::vector<SCOTCH_Num> offsets, neighbour, weight;

  explicit ScotchArrays(const DGraph& graph) {
    // Scotch takes a null pointer for "no such array" and wants the same on all ranks: not even a rank without
    // rows may have one.
    weight.reserve(graph.weight.size() + 1);
    neighbour.reserve(graph.neighbour.size() + 1);
    offsets.assign(graph.offsets.begin(), graph.offsets.end());
    weight.assign(graph.weight.begin(), graph.weight.end());
    for (const LocalIndex j : graph.neighbour) neighbour.push_back(static_cast<SCOTCH_Num>(graph.map().to_global(j)));
  }
  SCOTCH_Num rows() const { return static_cast<SCOTCH_Num>(weight.size()); }
  SCOTCH_Num edges() const { return static_cast<SCOTCH_Num>(neighbour.size()); }
};

class Strategy {
 public:
  Strategy() { SCOTCH_stratInit(&strategy_); }
  Strategy(const Strategy&) = delete;
  ~Strategy() { SCOTCH_stratExit(&strategy_); }
  SCOTCH_Strat* get() { return &strategy_; }

 private:
  SCOTCH_Strat strategy_;
};

/// One thread, a random generator of its own, and Scotch's promise to be deterministic: by default it matches
/// vertices in the order in which messages arrive.
class RepeatableContext {
 public:
  explicit RepeatableContext(std::uint64_t seed) {
    ready_ = SCOTCH_contextInit(&context_) == 0 && SCOTCH_contextRandomClone(&context_) == 0 &&
             SCOTCH_contextOptionSetNum(&context_, SCOTCH_OPTIONNUMDETERMINISTIC, 1) == 0 &&
             SCOTCH_contextThreadSpawn(&context_, 1, nullptr) == 0;
    SCOTCH_contextRandomSeed(&context_, static_cast<SCOTCH_Num>(seed & 0x7fffffff));
    SCOTCH_contextRandomReset(&context_);
  }
  RepeatableContext(const RepeatableContext&) = delete;
  ~RepeatableContext() { SCOTCH_contextExit(&context_); }
  SCOTCH_Context* get() { return &context_; }
  bool ready() const { return ready_; }

 private:
  SCOTCH_Context context_;
  bool ready_ = false;
};

double tolerance(const PartitionOptions& options) { return std::clamp(options.imbalance, 0.001, 1.0); }

bool cut_serially(ScotchArrays& a, int parts, const PartitionOptions& options, std::vector<int>& part) {
  RepeatableContext context(options.seed);
  Strategy strategy;
  SCOTCH_Graph graph, bound;
  SCOTCH_graphInit(&graph);
  SCOTCH_graphInit(&bound);
  const bool done = context.ready() &&
                    SCOTCH_graphBuild(&graph, 0, a.rows(), a.offsets.data(), nullptr, a.weight.data(), nullptr,
                                      a.edges(), a.neighbour.data(), nullptr) == 0 &&
                    SCOTCH_stratGraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, parts, tolerance(options)) == 0 &&
                    SCOTCH_contextBindGraph(context.get(), &graph, &bound) == 0 &&
                    SCOTCH_graphPart(&bound, parts, strategy.get(), part.data()) == 0;
  SCOTCH_graphExit(&bound);
  SCOTCH_graphExit(&graph);
  return done;
}

bool cut_together(MPI_Comm comm, int ranks, ScotchArrays& a, int parts, const PartitionOptions& options,
                  std::vector<int>& part) {
  RepeatableContext context(options.seed);
  Strategy strategy;
  SCOTCH_Dgraph graph, bound;
  if (SCOTCH_dgraphInit(&graph, comm) != 0) return false;
  SCOTCH_dgraphInit(&bound, comm);
  const bool done =
      context.ready() &&
      SCOTCH_dgraphBuild(&graph, 0, a.rows(), a.rows(), a.offsets.data(), nullptr, a.weight.data(), nullptr,
                         a.edges(), a.edges(), a.neighbour.data(), nullptr, nullptr) == 0 &&
      SCOTCH_stratDgraphMapBuild(strategy.get(), SCOTCH_STRATDEFAULT, ranks, parts, tolerance(options)) == 0 &&
      SCOTCH_contextBindDgraph(context.get(), &graph, &bound) == 0 &&
      SCOTCH_dgraphPart(&bound, parts, strategy.get(), part.data()) == 0;
  SCOTCH_dgraphExit(&bound);
  SCOTCH_dgraphExit(&graph);
  return done;
}

} // namespace

bool scotch_can_run(const Communicator& comm) { return comm.size() == 1 || native_handle(comm) != MPI_COMM_NULL; }

std::vector<int> partition_scotch(const Context& context, const DGraph& graph, int parts,
                                  const PartitionOptions& options) {
  Communicator& comm = *context.comm;
  check(comm, graph);
  std::optional<ScotchArrays> arrays;
  agree(comm, [&] { arrays.emplace(graph); });
  std::vector<int> part(std::max<std::size_t>(1, graph.weight.size()), -1);
  bool done = false;
  {
    const std::lock_guard lock(one_at_a_time());
    done = comm.size() == 1 ? cut_serially(*arrays, parts, options, part)
                            : cut_together(native_handle(comm), comm.size(), *arrays, parts, options, part);
  }
  part.resize(graph.weight.size());
  const auto wrong = std::find_if(part.begin(), part.end(), [&](int p) { return p < 0 || p >= parts; });
  agree(comm, [&] {
    if (!done) throw Error(ErrorKind::environment, "Scotch failed, perhaps for lack of memory; use metis", place);
    if (wrong != part.end())
      throw Error(ErrorKind::internal, fmt::format("Scotch answered part {}, outside 0..{}", *wrong, parts - 1),
                  place);
  });
  return part;
}

} // namespace atl
