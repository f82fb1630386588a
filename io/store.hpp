#pragma once
/// The HDF5 store: a partitioned matrix or a dense array in one file, written in parallel and loaded on any
/// number of ranks. docs/store.md has the layout, dataset by dataset.
///
/// Every dataset carries a checksum that is verified by every load, a seal at the end of the file does the
/// same for HDF5's own structure: an altered or truncated file is refused with its reason.

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace atl {

/// Values that belong to the rows of a stored matrix: a solution, coordinates, near-null vectors. `columns`
/// values a row, interleaved, for this rank's rows.
template <class T>
struct StoredVector {
  std::string name; ///< letters, digits, '-' and '_'
  LocalIndex columns = 1;
  std::vector<T> values;
};

/// A partitioned matrix as the HDF5 store keeps it: rows in global numbering and the way back.
template <class T>
struct StoredMatrix {
  RowBlock<T> rows;
  Numbering numbering; ///< identity() where all rows kept their original numbers
  std::vector<StoredVector<T>> vectors;
  int parts = 0;            ///< row ranges in the file
  bool same_layout = false; ///< loaded on as many ranks as it has parts: each rank has its own part
  std::string name;         ///< of the matrix, from provenance
};

struct StoreOptions {
  /// Chunks, shuffled and deflated: smaller and slower. Worth it for archives of patterned values.
  bool compress = false;
  std::string name; ///< provenance: what the matrix is
};

/// Writes group /matrix (data, indices, indptr, shape, format = "csr"; row_ranges, original_index; halo plan;
/// vectors; checksums; provenance) in parallel, aside, then renames. The parts are the ranks' row ranges.
/// Columns are those of `rows`: in global numbering where the matrix is square, in original numbering where
/// it is not. The same matrix, cut and options give the same bytes: no dates are kept.
/// Ranks      collective; ranks without rows take part. More than one rank must be MPI's.
/// Errors     Error{environment} when the file cannot be written, Error{usage} when numbering, ranges or
///            vectors do not fit the rows; the same on all ranks. An older file then stays as it was.
template <class T>
ATOLL_API void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows,
                           const Numbering& numbering, const StoreOptions& options = {},
                           std::span<const std::type_identity_t<StoredVector<T>>> vectors = {});

/// The same for parts that are not the ranks' ranges: part p owns rows row_ranges[p] .. row_ranges[p + 1]
/// (P + 1 offsets, equal on all ranks), wherever they lie now.
template <class T>
ATOLL_API void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows,
                           const Numbering& numbering, std::span<const GlobalIndex> row_ranges,
                           const StoreOptions& options,
                           std::span<const std::type_identity_t<StoredVector<T>>> vectors = {});

/// Loads on any number of ranks: as many as parts keep the partition, others get equal row blocks
/// (BlockRange) in global numbering. Each rank reads its rows alone, and of all else a share. Values of
/// another precision are converted. All checksums are verified, the halo plan is compared with the matrix.
/// Ranks      collective; any communicator.
/// Errors     the same on all ranks. Error{bad_input}: missing, no store, truncated, altered (which dataset),
///            indices out of range, sizes that disagree; Error{environment}: the file is locked. Values come as they
///            are stored, NaN too; those too small for T become stored zeros, and the observer is told how many.
template <class T>
ATOLL_API StoredMatrix<T> read_store(const Context& context, const std::string& path);

/// Where the parts of a stored matrix begin, P + 1 offsets: read by one rank, told to all. Collective. Errors: those of
/// read_store() that concern them.
ATOLL_API std::vector<GlobalIndex> read_row_ranges(const Context& context, const std::string& path);

/// What an HDF5 file holds; looked up by one rank. Collective. Errors: Error{bad_input} for an altered file.
struct StoreContents {
  bool matrix = false, vector = false;
};
ATOLL_API StoreContents store_contents(const Context& context, const std::string& path);

/// The HDF5 library in use.
struct StoreLibrary {
  std::string version;
  bool parallel = false; ///< stores can be written on more than one rank
};
ATOLL_API StoreLibrary store_library();

/// A dense n x k array as dataset /vector, this rank's slab (BlockRange) in original numbering, interleaved;
/// and its reader. Ranks and errors as above.
template <class T>
ATOLL_API void write_dense_store(const Context& context, const std::string& path, GlobalIndex rows, LocalIndex cols,
                                 std::span<const T> slab);
template <class T>
ATOLL_API std::vector<T> read_dense_store(const Context& context, const std::string& path, GlobalIndex& rows,
                                          LocalIndex& cols);

} // namespace atl
