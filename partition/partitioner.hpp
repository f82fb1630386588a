#pragma once

#include <atoll/comm/numbering.hpp>
#include <atoll/partition/dgraph.hpp>

#include <optional>
#include <string>

namespace atl {

enum class PartitionMethod { automatic, metis, metis_recursive, scotch, coordinates, block, file };

ATOLL_API std::string_view to_string(PartitionMethod method);

/// The most parts that can be asked for: set-up holds some 40 bytes a part on every rank.
constexpr int max_parts = 1 << 20;
/// So many parts are allowed whatever the number of rows (those beyond it stay empty), more only up to one a row.
constexpr int max_empty_parts = 1 << 16;

struct PartitionOptions {
  PartitionMethod method = PartitionMethod::automatic;
  double imbalance = 0.03;            ///< largest part may exceed the average weight by this fraction
  std::uint64_t seed = 1;             ///< the same seed, ranks and graph give the same cut
  bool weight_rows_by_entries = true; ///< for make_graph: balance stored entries where rows differ much
  bool order_locally =
      true;         ///< for order_locally(): bring the rows of a part into an order that keeps neighbours near
  std::string file; ///< for PartitionMethod::file: one 0-based part number a row, original numbering
};

/// Coordinates of this rank's rows, interleaved (dimension values a row).
struct Coordinates {
  int dimension = 0;
  std::vector<double> values;
};

/// The quality of a partition, over all ranks. edge_cut: pairs {i, j}, i != j, with a_ij or a_ji stored and
/// ends in different parts, unweighted. halo_total: pairs of a part and a column j outside it with a_ij stored in a
/// row i of the part: the ghosts of y = A x, the values received in one forward exchange by all parts; halo_max: the
/// most received by one part. neighbors_max: the most neighbours of a part, those that it receives from or sends to.
/// imbalance: largest part over average part in weights, less 1 (0 without rows); imbalance_least: what no partition
/// can go below, since the heaviest row lies in some part; imbalance_rows: imbalance in rows. empty_parts: parts
/// without a row.
struct PartitionQuality {
  int parts = 1;
  std::int64_t edge_cut = 0;
  std::int64_t halo_total = 0;
  std::int64_t halo_max = 0;
  int neighbors_max = 0;
  double imbalance = 0;
  double imbalance_least = 0;
  double imbalance_rows = 0;
  GlobalIndex rows_min = 0, rows_max = 0;
  int empty_parts = 0;
};

struct Partition {
  std::vector<int> owner;   ///< part of each of this rank's rows (slab order)
  PartitionMethod method{}; ///< what was used
  std::string why;          ///< why, and what had to be repaired; the same on all ranks
  PartitionQuality quality;
};

/// A part for each row, checked and repaired: every number is in 0 .. parts-1, no part is empty while there
/// are rows enough, and pieces of a part that fell apart from it are joined to a neighbour where balance
/// allows (blocks and files are taken as they are, but checked). Parts need not equal the number of ranks.
/// Balance    no part weighs more than max(ceil(average), average * (1 + imbalance)); where rows of unequal
///            weight cannot be packed so, as near as greedy moves come. A row heavier than a part's share counts
///            as just that: it has a part to itself, and the rest is spread over the others.
/// Methods    metis: rows are merged rank by rank until few are left (at most 65536, or 64 a part), these are
///            cut by METIS on rank 0, and the cut is refined by all ranks at every level on the way back.
///            scotch: PT-Scotch on all ranks. coordinates: recursive bisection, any number of parts. block:
///            contiguous rows. Nothing is gathered beyond the few rows named.
/// Ranks      collective. `block`, `coordinates` and `file` give the same answer on any number of ranks.
/// Errors     Error{usage}: no parts or too many asked for (max_parts, max_empty_parts), negative imbalance, coordinates not known or not finite.
///            Error{bad_input}: a file that is too short, too long, or names a part out of range, with its
///            line. Error{environment}: scotch without MPI on several ranks; Error{limit}: a graph beyond its
///            integers.
ATOLL_API Partition compute_partition(const Context& context, const DGraph& graph, int parts,
                                      const PartitionOptions& options, const std::optional<Coordinates>& coordinates);

/// Quality of any partition. Collective. Errors: Error{usage} for part numbers out of range.
ATOLL_API PartitionQuality measure_quality(const Context& context, const DGraph& graph, std::span<const int> owner,
                                           int parts);

} // namespace atl
