#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>
#include <atoll/io/model_problem.hpp>
#include <atoll/io/store.hpp>
#include <atoll/partition/partitioner.hpp>

#include <optional>
#include <string>

namespace atl::app {

/// A matrix as it was read, this rank's rows of it, with what is known about them.
template <class T>
struct Loaded {
  std::string name;                     ///< what the user calls it, or what the store says it is
  std::string format;                   ///< "model problem", "Matrix Market", "store"
  RowBlock<T> rows;                     ///< equal slabs in original numbering, or a store's rows in global numbering
  Numbering numbering;                  ///< of these rows
  int stored_parts = 0;                 ///< parts of the store it came from; 0 where there was none
  bool stored_layout = false;           ///< the store has a part for each rank, and each rank has its own
  std::vector<StoredVector<T>> vectors; ///< of these rows, from a store, where asked for
  std::optional<ModelProblem> problem;  ///< knows the coordinates of its rows
};

/// MATRIX of the command line: an existing file (its format known by content), or a model problem. The vectors that
/// a store keeps beside its matrix come with it where they are asked for. Collective. Errors     Error{bad_input} for a file that is missing or not what it should be; Error{usage}
/// for an unknown
///            model problem; the same on all ranks.
template <class T>
Loaded<T> load_matrix(const Context& context, const std::string& matrix, bool with_vectors = false);

/// The numbering of equal slabs: global is original.
Numbering slab_numbering(const Context& context, GlobalIndex n);

/// Coordinates of the rows, where they are known.
template <class T>
std::optional<Coordinates> coordinates_of(const Loaded<T>& loaded);

} // namespace atl::app
