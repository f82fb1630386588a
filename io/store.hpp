#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

#include <optional>
#include <string>

namespace atl {

/// A partitioned matrix as the HDF5 store keeps it: rows in global numbering and the way back.
template <class T>
struct StoredMatrix {
  RowBlock<T> rows;
  Numbering numbering;
  int parts = 0;            ///< row ranges in the file
  bool same_layout = false; ///< loaded on as many ranks as it has parts: each rank has its own part
  std::string name;         ///< of the matrix, from provenance
};

struct StoreOptions {
  bool compress = false;
  std::string name; ///< provenance: what the matrix is
};

/// Writes group /matrix (data, indices, indptr, shape, format = "csr"; row_ranges, original_index; halo plan;
/// checksums; provenance) in parallel, aside, then renames. Collective; ranks without rows take part.
/// Errors     Error{environment} when the file cannot be written, the same on all ranks, nothing left behind.
template <class T>
ATOLL_API void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows,
                           const Numbering& numbering, const StoreOptions& options = {});

/// The same from one rank for `parts` parts is not a special case: row_ranges may differ from the ranks'
/// ranges.
template <class T>
ATOLL_API void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows,
                           const Numbering& numbering, std::span<const GlobalIndex> row_ranges,
                           const StoreOptions& options);

/// Loads on any number of ranks: as many as parts keep the partition, others get whole parts or equal row
/// blocks in global numbering. Every checksum is verified. Collective. Errors     Error{bad_input}: no store,
/// truncated, altered (which dataset), indices out of range.
template <class T>
ATOLL_API StoredMatrix<T> read_store(const Context& context, const std::string& path);

/// A dense n x k array as dataset /vector, this rank's slab in original numbering; and its reader.
template <class T>
ATOLL_API void write_dense_store(const Context& context, const std::string& path, GlobalIndex rows,
                                 LocalIndex cols, std::span<const T> slab);
template <class T>
ATOLL_API std::vector<T> read_dense_store(const Context& context, const std::string& path, GlobalIndex& rows,
                                          LocalIndex& cols);

} // namespace atl
