#include <atoll/core/options.hpp>

#include <algorithm>

namespace atl {

namespace {

using namespace commands;

constexpr CommandSpec command_rows[] = {
    {"solve", solve, "MATRIX", "solve A x = b and say how well", true},
    {"eigs", eigs, "MATRIX", "some eigenvalues and vectors of a symmetric matrix", false},
    {"svd", svd, "MATRIX", "some singular values and vectors", false},
    {"partition", commands::partition, "MATRIX", "cut a matrix into parts and print the quality of the cut", true},
    {"multiply", multiply, "MATRIX", "the distributed product y = A x", true},
    {"convert", convert, "IN OUT", "write a matrix in another format, single or partitioned", true},
    {"generate", generate, "SPEC", "write a model problem as a file", true},
    {"info", info, "FILE", "sizes, pattern, symmetry, hints of definiteness, norms", true},
    {"plan", plan, "MATRIX", "what a run on P ranks would need: memory, messages, time an iteration", true},
    {"bench", bench, "[MATRIX]", "memory bandwidth, and the kernels measured against it", true},
    {"doctor", doctor, "", "what this installation can do, and what it lacks", true},
    {"options", commands::options, "", "every option with its default, range and advice", true},
};

} // namespace

std::span<const CommandSpec> command_table() { return command_rows; }

const CommandSpec* find_command(std::string_view name) {
  const auto found = std::ranges::find(command_table(), name, &CommandSpec::name);
  return found == command_table().end() ? nullptr : &*found;
}

} // namespace atl
