#include <atoll/core/options.hpp>

#include <algorithm>

namespace atl {

namespace {

using namespace commands;

constexpr CommandSet distributed =
    solve | multiply | eigs | svd; ///< cut the matrix over the ranks and compute
constexpr CommandSet cutting = distributed | commands::partition | convert | generate | plan;
constexpr CommandSet iterative = solve | eigs | svd;

constexpr CommandSpec command_rows[] = {
    {"solve", solve, "MATRIX", "solve A x = b and say how well", true},
    {"eigs", eigs, "MATRIX", "some eigenvalues and vectors of a symmetric matrix", false},
    {"svd", svd, "MATRIX", "some singular values and vectors", false},
    {"partition", commands::partition, "MATRIX", "cut a matrix into parts and print the quality of the cut",
     true},
    {"multiply", multiply, "MATRIX", "the distributed product y = A x", true},
    {"convert", convert, "IN OUT", "write a matrix in another format, single or partitioned", true},
    {"generate", generate, "SPEC", "write a model problem as a file", true},
    {"info", info, "FILE", "sizes, pattern, symmetry, hints of definiteness, norms", true},
    {"plan", plan, "MATRIX", "what a run would need: memory, messages, time an iteration", false},
    {"bench", bench, "", "memory bandwidth, and the kernels measured against it", false},
    {"doctor", doctor, "", "what this installation can do, and what it lacks", true},
    {"options", commands::options, "", "every option with its default, range and advice", true},
};

constexpr OptionSpec option_rows[] = {
    // ---- solver
    {.name = "rhs",
     .kind = OptionKind::choice,
     .group = "solver",
     .taken_by = solve,
     .default_value = "A*ones",
     .doc = "right-hand side b: a file, or made up",
     .advice = "A*ones has the known answer x = 1; random excites all frequencies and is the fairer test of "
               "a method",
     .value_name = "FILE|ones|random[:SEED]|A*ones",
     .choices = "ones|random[:SEED]|A*ones|FILE"},
    {.name = "method",
     .kind = OptionKind::text,
     .group = "solver",
     .taken_by = solve,
     .default_value = "auto",
     .doc = "Krylov method",
     .advice = "auto chooses from the properties of the matrix and says why; name one to compare",
     .value_name = "NAME"},
    {.name = "preconditioner",
     .kind = OptionKind::text,
     .group = "solver",
     .taken_by = solve,
     .default_value = "auto",
     .doc = "preconditioner",
     .advice =
         "none shows what the matrix itself costs; a stronger one pays where iterations run into hundreds",
     .value_name = "NAME"},
    {.name = "null-space",
     .kind = OptionKind::choice,
     .group = "solver",
     .taken_by = solve,
     .default_value = "auto",
     .doc = "null space to remove from b and x",
     .advice =
         "auto finds the constants of pure Neumann problems; none if rows sum to zero for another reason",
     .value_name = "auto|none|constant",
     .choices = "auto|none|constant"},
    {.name = "initial",
     .kind = OptionKind::file,
     .group = "solver",
     .taken_by = iterative,
     .default_value = "",
     .doc = "start from this vector instead of zero",
     .advice = "the answer of a nearby problem saves iterations",
     .value_name = "FILE"},

    // ---- stopping
    {.name = "rtol",
     .kind = OptionKind::real,
     .group = "stopping",
     .taken_by = iterative,
     .default_value = "1e-8",
     .doc = "stop when the true residual norm is at most this times the reference norm",
     .advice = "1e-4 inside a nonlinear iteration; below about 1e-12 rounding often wins",
     .value_name = "R",
     .low = 0,
     .high = 1,
     .high_included = false},
    {.name = "atol",
     .kind = OptionKind::real,
     .group = "stopping",
     .taken_by = solve,
     .default_value = "0",
     .doc = "stop, too, when the true residual norm is at most this",
     .advice = "where b may be tiny and a known noise level is good enough",
     .value_name = "R",
     .low = 0},
    {.name = "reference-norm",
     .kind = OptionKind::choice,
     .group = "stopping",
     .taken_by = solve,
     .default_value = "rhs",
     .doc = "what --rtol is measured against: ||b||, the initial residual norm, or a number",
     .advice = "initial for warm starts that must gain so many digits each time",
     .value_name = "rhs|initial|NUMBER",
     .choices = "rhs|initial|NUMBER"},
    {.name = "max-iterations",
     .kind = OptionKind::integer,
     .group = "stopping",
     .taken_by = iterative,
     .default_value = "10000",
     .doc = "give up after so many iterations; the best answer is still written",
     .advice = "lower it where a failed solve should be noticed soon",
     .value_name = "N",
     .low = 0,
     .high = 2147483647},
    {.name = "time-limit",
     .kind = OptionKind::real,
     .group = "stopping",
     .taken_by = iterative,
     .default_value = "0",
     .doc = "give up after so many seconds of iterating; 0 is no limit",
     .advice = "set it below the limit of the batch system, so that the best answer is written",
     .value_name = "SECONDS",
     .low = 0},

    // ---- partition
    {.name = "parts",
     .kind = OptionKind::integer,
     .group = "partition",
     .taken_by = commands::partition | convert | generate | plan,
     .default_value = "",
     .doc = "number of parts",
     .advice = "as many as the ranks that will use it; without it, convert and generate write one part",
     .value_name = "P",
     .low = 1,
     .high = 2147483647,
     .short_name = 'n',
     .required_by = commands::partition | plan},
    {.name = "partitioner",
     .kind = OptionKind::choice,
     .group = "partition",
     .taken_by = cutting,
     .default_value = "auto",
     .doc = "who decides which rank owns which row",
     .advice =
         "scotch where the graph is too large for one rank, coordinates for grids, file:F to repeat a cut",
     .value_name = "NAME",
     .choices = "auto|metis|metis-recursive|scotch|coordinates|block|file:FILE"},
    {.name = "imbalance",
     .kind = OptionKind::real,
     .group = "partition",
     .taken_by = cutting,
     .default_value = "0.03",
     .doc = "the largest part may exceed the average by this fraction",
     .advice = "a larger one lets the partitioner cut fewer edges",
     .value_name = "R",
     .low = 0,
     .high = 10},
    {.name = "seed",
     .kind = OptionKind::integer,
     .group = "partition",
     .taken_by = cutting,
     .default_value = "1",
     .doc = "seed of the partitioner; the same seed gives the same cut",
     .advice = "try a few where the cut decides the time",
     .value_name = "N",
     .low = 0,
     .high = 2147483647},

    // ---- files
    {.name = "output",
     .kind = OptionKind::file,
     .group = "files",
     .taken_by = solve | eigs | svd | commands::partition | multiply | generate,
     .default_value = "",
     .doc = "write the result here, whole or not at all, in original numbering",
     .advice = ".h5 is the store, .txt one part number a row (partition), anything else Matrix Market",
     .value_name = "FILE",
     .short_name = 'o',
     .required_by = commands::partition | generate},
    {.name = "vector",
     .kind = OptionKind::file,
     .group = "files",
     .taken_by = multiply,
     .default_value = "",
     .doc = "x: a vector, or k vectors as the columns of an array",
     .advice = "several vectors in one file are multiplied in one pass over the matrix",
     .value_name = "FILE",
     .required_by = multiply},
    {.name = "transpose",
     .kind = OptionKind::flag,
     .group = "files",
     .taken_by = multiply,
     .default_value = "",
     .doc = "multiply by the transpose of A",
     .advice = "costs one more exchange of ghosts, no second matrix"},
    {.name = "power",
     .kind = OptionKind::integer,
     .group = "files",
     .taken_by = multiply,
     .default_value = "1",
     .doc = "multiply so many times",
     .advice = "to measure the product, or for a power iteration",
     .value_name = "K",
     .low = 1,
     .high = 2147483647},
    {.name = "compress",
     .kind = OptionKind::flag,
     .group = "files",
     .taken_by = commands::partition | convert | generate,
     .default_value = "",
     .doc = "compress the datasets of a store",
     .advice = "saves disk for regular matrices and costs time at each reading"},

    // ---- machine
    {.name = "device",
     .kind = OptionKind::choice,
     .group = "machine",
     .taken_by = distributed | bench,
     .default_value = "auto",
     .doc = "where to compute",
     .advice = "cpu to leave a GPU to others; cuda to be told why there is none",
     .value_name = "auto|cpu|cuda",
     .choices = "auto|cpu|cuda|guarded"},
    {.name = "threads",
     .kind = OptionKind::integer,
     .group = "machine",
     .taken_by = distributed | bench,
     .default_value = "1",
     .doc = "threads of each rank",
     .advice =
         "ranks times threads should not exceed the cores; more ranks are usually faster than more threads",
     .value_name = "N",
     .low = 1,
     .high = 4096},
    {.name = "precision",
     .kind = OptionKind::choice,
     .group = "machine",
     .taken_by = distributed,
     .default_value = "double",
     .doc = "precision of matrix and vectors; dots and norms are double in any case",
     .advice = "float halves memory and time where a relative residual near 1e-6 will do",
     .value_name = "double|mixed|float",
     .choices = "double|mixed|float"},

    // ---- output
    {.name = "json",
     .kind = OptionKind::file,
     .group = "output",
     .taken_by = all,
     .default_value = "",
     .doc = "write what happened as one JSON object; - is standard output",
     .advice = "for scripts: keys are added by later versions, never renamed",
     .value_name = "FILE"},
    {.name = "monitor",
     .kind = OptionKind::flag,
     .group = "output",
     .taken_by = iterative,
     .default_value = "",
     .doc = "print the residual norm of each iteration",
     .advice = "to see how a solve converges, or where it stalls"},
    {.name = "quiet",
     .kind = OptionKind::flag,
     .group = "output",
     .taken_by = all,
     .default_value = "",
     .doc = "print no summary; errors and warnings still appear",
     .advice = "in scripts that read the JSON",
     .short_name = 'q'},
    {.name = "no-progress",
     .kind = OptionKind::flag,
     .group = "output",
     .taken_by = all,
     .default_value = "",
     .doc = "show no progress on a terminal",
     .advice = "progress is shown only on a terminal anyway"},
};

constexpr PlannedOption planned_rows[] = {
    {"checkpoint", 0, solve, "write the state now and then, and resume from it"},
    {"report", 0, solve, "an HTML report"},
    {"storage", 0, distributed, "the storage form of the local matrix"},
    {"reproducible", 0, distributed, "sums that do not depend on the number of ranks"},
    {"stop", 0, solve, "other stopping tests"},
    {"restart", 0, solve, "the restart length of GMRES"},
    {"overlap", 0, solve, "the overlap of Schwarz subdomains"},
    {"near-null-space", 0, solve, "near-null vectors for multigrid"},
    {"memory-limit", 0, distributed, "a bound on the memory of a rank"},
    {"mass", 0, eigs, "the mass matrix of a generalised eigenproblem"},
    {"which", 0, eigs | svd, "which end of the spectrum"},
    {"k", 'k', eigs | svd, "the number of values"},
};

template <class Row, class Key, class Name>
const Row* find_row(std::span<const Row> rows, const Key& key, Name Row::*name) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.*name == key; });
  return found == rows.end() ? nullptr : &*found;
}

} // namespace

std::span<const CommandSpec> command_table() { return command_rows; }

const CommandSpec* find_command(std::string_view name) {
  return find_row(command_table(), name, &CommandSpec::name);
}

std::span<const OptionSpec> option_table() { return option_rows; }

const OptionSpec* find_option(std::string_view name) {
  return find_row(option_table(), name, &OptionSpec::name);
}

const OptionSpec* find_option(char short_name) {
  return short_name ? find_row(option_table(), short_name, &OptionSpec::short_name) : nullptr;
}

std::span<const PlannedOption> planned_options() { return planned_rows; }

} // namespace atl
