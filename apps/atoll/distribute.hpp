#pragma once

#include "load.hpp"
#include "session.hpp"

#include <atoll/comm/dsparse_matrix.hpp>

namespace atl::app {

/// How the rows were cut, for the summary and the report.
struct Cut {
  std::string method; ///< "metis", ..., "stored", "none"
  std::string why;
  PartitionQuality quality;
};

/// How the local matrices are kept.
struct MatrixForm {
  StorageWish storage = StorageWish::least_bytes;
  bool reproducible = false; ///< rows are summed in the order of original columns, whoever owns them
};

/// A matrix ready to multiply, cut over the ranks, with the way back to original numbers.
template <class T>
struct Distributed {
  std::shared_ptr<const DSparseMatrix<T>> matrix;
  Numbering rows, columns; ///< the same where the matrix is square
  Cut cut;
};

/// An owner for each row of a square matrix, for `parts` parts. A partition from a file puts the rows in the order of
/// that file first. Collective.
template <class T>
Partition cut_rows(const Context& context, Loaded<T>& loaded, int parts, const PartitionOptions& options);

/// Cuts a square matrix over the ranks, moves its rows and makes it ready. A rectangular one stays in equal
/// slabs of rows and of columns. A store that was cut for as many ranks keeps its partition, unless the
/// options name another method. Phases "partition" and "distribute". Collective.
template <class T>
Distributed<T> distribute(Session& session, Loaded<T>&& loaded, const PartitionOptions& options,
                          const MatrixForm& form = {});

/// Lines and keys about the matrix and its cut. `symmetric` where it was looked at.
void report_matrix(Session& session, const std::string& name, GlobalIndex rows, GlobalIndex cols, Offset entries,
                   std::optional<bool> symmetric = std::nullopt);
void report_cut(Session& session, const Cut& cut, int parts);

/// Throws Error{bad_input} that names the sizes, unless the matrix is square.
void require_square(const std::string& name, GlobalIndex rows, GlobalIndex cols, std::string_view for_what);

/// The line and keys about the forms in which the local matrices are kept. Collective.
template <class T>
void report_storage(Session& session, const DSparseMatrix<T>& a);

} // namespace atl::app
