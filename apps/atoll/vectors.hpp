#pragma once

#include <atoll/comm/dvector.hpp>
#include <atoll/comm/numbering.hpp>
#include <atoll/io/matrix_market.hpp>

namespace atl::app {

/// What the output file of a matrix or partition holds, by the ending of its name.
enum class OutputFormat { matrix_market, store, text };

/// Errors: Error{usage} for an ending other than those in `allowed` (".mtx", ".h5" or ".hdf5", ".txt").
OutputFormat output_format(const std::string& path, std::initializer_list<OutputFormat> allowed);

/// Throws Error{environment}, on all ranks alike, where `path` cannot be created: said before hours of work,
/// not after. An empty path is none. Collective.
void require_writable(const Context& context, const std::string& path);

/// The n x k array of a file (Matrix Market or store, known by content) as a vector over `map`, whose
/// original numbers are `numbering`. Collective. Errors: Error{bad_input}, naming the sizes, unless it has
/// map's rows and, where columns > 0, that many columns; or when a value is not finite.
template <class T>
DVector<T> read_vector(const Context& context, const std::string& path, const IndexMapPtr& map,
                       const Numbering& numbering, LocalIndex columns = 0);

/// The vector in original numbering: a store where the name ends in .h5 or .hdf5, else a Matrix Market array.
/// Collective.
template <class T>
void write_vector(const Context& context, const std::string& path, const DVector<T>& vector,
                  const Numbering& numbering);

/// The array of a file, known by content; equal slabs in original numbering. Collective.
template <class T>
DenseSlab<T> read_slab(const Context& context, const std::string& path);

/// Whether a file holds an array that is no square matrix, rather than a matrix; model problems are none.
/// Collective.
bool is_vector_file(const Context& context, const std::string& path);

/// How many values are not finite, over all ranks. Collective.
template <class T>
std::int64_t count_not_finite(const Context& context, std::span<const T> values);

} // namespace atl::app
