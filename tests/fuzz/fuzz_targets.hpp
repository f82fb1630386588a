#pragma once
/// What fuzzers feed with arbitrary bytes, and what a test replays from the corpus. A broken promise is an
/// exception other than atl::Error, or a crash.

#include <span>

namespace atl::test {

enum class FuzzOutcome { accepted, refused };

/// Reads the bytes as a Matrix Market file; checks that any cut gives the same lines and that the matrix is sound.
FuzzOutcome fuzz_matrix_market(std::span<const char> bytes);
/// Reads a number as our parser and the C library do, and compares.
FuzzOutcome fuzz_number(std::span<const char> bytes);
/// Parses a model problem; what is accepted parses back from its name.
FuzzOutcome fuzz_model_problem(std::span<const char> bytes);

/// Reads the bytes as a store, by way of a file. Most of what a fuzzer makes has no seal, so that HDF5 sees it.
FuzzOutcome fuzz_store(std::span<const char> bytes);

} // namespace atl::test
