#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/comm/row_block.hpp>

#include <optional>
#include <string>

namespace atl {

enum class PartitionMethod { automatic, metis, metis_recursive, scotch, coordinates, block, file };

ATOLL_API std::string_view to_string(PartitionMethod method);

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::automatic;
  double imbalance = 0.03;            ///< largest part may exceed the average weight by this fraction
  std::uint64_t seed = 1;             ///< the same seed gives the same cut
  bool weight_rows_by_entries = true; ///< balance stored entries (the work of a product), not rows
  std::string file; ///< for PartitionMethod::file: one 0-based part number a row, original numbering
};

/// Coordinates of this rank's rows, interleaved (dimension values a row).
struct Coordinates {
  int dimension = 0;
  std::vector<double> values;
};

/// The undirected graph of A + A' without loops, cut by rows over the ranks like the RowBlock it came from.
/// neighbour holds global row numbers, ascending within a row; weight is a row's work.
struct DGraph {
  GlobalIndex n = 0;
  GlobalIndex row_begin = 0;
  std::vector<Offset> offsets{0};
  std::vector<GlobalIndex> neighbour;
  std::vector<std::int32_t> weight;

  LocalIndex rows() const { return static_cast<LocalIndex>(offsets.size() - 1); }
};

/// Graph of a square block's pattern. Entries (i, j) with j on another rank travel there, so that the graph
/// is symmetric for nonsymmetric patterns too. Collective.
template <class T>
ATOLL_API DGraph make_graph(const Context& context, const RowBlock<T>& block, bool weight_rows_by_entries);

/// The quality of a partition, over all ranks. edge_cut: pairs {i, j} with ends in different parts,
/// unweighted. halo_total: values received in one exchange by all parts; neighbors_max: the most neighbours
/// of a part. imbalance: largest part over average part, in entries (weights), less 1. components_extra:
/// connected pieces of parts beyond what the graph's own components force.
struct PartitionQuality {
  int parts = 1;
  std::int64_t edge_cut = 0;
  std::int64_t halo_total = 0;
  std::int64_t halo_max = 0;
  int neighbors_max = 0;
  double imbalance = 0;
  double imbalance_rows = 0;
  GlobalIndex rows_min = 0, rows_max = 0;
  int empty_parts = 0;
};

struct Partition {
  std::vector<int> owner;   ///< part of each of this rank's rows (slab order)
  PartitionMethod method{}; ///< what was used
  std::string why;          ///< why, and what had to be repaired
  PartitionQuality quality;
};

/// An owner for each row, checked and repaired: every part number is in 0 .. parts-1, no part is empty while
/// there are rows enough, parts that fell apart without need are joined to a neighbour where balance allows.
/// Parts need not equal the number of ranks. Collective; the same on any number of ranks only where the
/// method says so. Errors     Error{bad_input} for a file of the wrong length or with a part out of range;
/// Error{usage} for
///            coordinates that are not known.
ATOLL_API Partition compute_partition(const Context& context, const DGraph& graph, int parts,
                                      const PartitionOptions& options,
                                      const std::optional<Coordinates>& coordinates);

/// Quality of any partition. Collective.
ATOLL_API PartitionQuality measure_quality(const Context& context, const DGraph& graph,
                                           std::span<const int> owner, int parts);

} // namespace atl
