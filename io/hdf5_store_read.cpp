#include <atoll/io/hdf5_slabs.hpp>
#include <atoll/io/part_halo.hpp>
#include <atoll/io/store.hpp>
#include <atoll/io/underflow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

using hdf5::Dataset;
using hdf5::Reader;
using hdf5::Seal;
using hdf5::Type;

[[noreturn]] void refuse(const Reader& file, const std::string& what) {
  throw Error(ErrorKind::bad_input, what, file.path());
}

void require_rows(const Reader& file, const Dataset& set, GlobalIndex expected) {
  if (set.rows != expected)
    refuse(file, fmt::format("sizes disagree: {} has {} values, {} expected", set.path, set.rows, expected));
}

/// A short array, read and verified by every rank. Local.
std::vector<GlobalIndex> read_small(const Reader& file, const Dataset& set) {
  std::vector<GlobalIndex> values;
  const std::uint64_t sum = hdf5::read_slab(file, set, 0, set.rows, set.rows, values);
  hdf5::verify_whole(file, set, sum);
  return values;
}

void check_ranges(const Reader& file, const Dataset& set, std::span<const GlobalIndex> ranges, GlobalIndex n) {
  if (ranges.size() < 2 || ranges.front() != 0 || ranges.back() != n || !std::is_sorted(ranges.begin(), ranges.end()))
    refuse(file, fmt::format("{} must be offsets that ascend from 0 to {}", set.path, n));
  if (ranges.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    refuse(file, fmt::format("{} names {} parts, more than a store can have", set.path, ranges.size() - 1));
}

/// An open store whose sizes agree with one another, and which rows of it this rank reads.
struct Source {
  Reader file;
  Dataset indptr, indices, data, original;
  std::vector<Dataset> vectors;
  GlobalIndex n_rows = 0, n_cols = 0, entries = 0;
  std::vector<GlobalIndex> row_ranges, column_ranges;
  GlobalIndex row_begin = 0;
  LocalIndex rows = 0;
  std::string name;

  Source(const std::string& path, Seal seal) : file(path, seal == Seal::intact) {}
  int parts() const { return static_cast<int>(row_ranges.size()) - 1; }
  bool last_row_here() const { return row_begin + rows == n_rows; }
};

void open_group(Source& source) {
  const Reader& file = source.file;
  file.require_group("/matrix");
  const std::optional<std::string> format = file.text_attribute("/matrix", "format");
  if (format && *format != "csr")
    refuse(file, fmt::format("/matrix has the format '{:.20}'; 'csr' expected", *format));
  const std::int64_t version = file.integer_attribute("/", "store_version");
  if (version != 1) refuse(file, fmt::format("the store has version {}; this Atoll reads version 1", version));
  source.name = file.text_attribute("/matrix", "name").value_or("");
  file.require_group("/matrix/halo");
}

void open_arrays(Source& source) {
  const Reader& file = source.file;
  const Dataset shape = file.open("/matrix/shape", {Type::int64});
  require_rows(file, shape, 2);
  const std::vector<GlobalIndex> size = read_small(file, shape);
  source.n_rows = size[0];
  source.n_cols = size[1];
  if (source.n_rows < 0 || source.n_cols < 0 || source.n_rows == std::numeric_limits<GlobalIndex>::max())
    refuse(file, fmt::format("/matrix/shape says {} x {}", source.n_rows, source.n_cols));

  source.indptr = file.open("/matrix/indptr", {Type::int64});
  source.indices = file.open("/matrix/indices", {Type::int32, Type::int64});
  source.data = file.open("/matrix/data", {Type::float64, Type::float32});
  source.original = file.open("/matrix/original_index", {Type::int64});
  source.entries = source.data.rows;
  require_rows(file, source.indptr, source.n_rows + 1);
  require_rows(file, source.indices, source.entries);
  require_rows(file, source.original, source.n_rows);

  const Dataset row_ranges = file.open("/matrix/row_ranges", {Type::int64});
  const Dataset column_ranges = file.open("/matrix/halo/column_ranges", {Type::int64});
  require_rows(file, column_ranges, row_ranges.rows);
  source.row_ranges = read_small(file, row_ranges);
  source.column_ranges = read_small(file, column_ranges);
  check_ranges(file, row_ranges, source.row_ranges, source.n_rows);
  check_ranges(file, column_ranges, source.column_ranges, source.n_cols);

  if (!file.has("/matrix/vectors")) return;
  for (const std::string& name : file.members("/matrix/vectors")) {
    source.vectors.push_back(file.open("/matrix/vectors/" + name, {Type::float64, Type::float32}, true));
    require_rows(file, source.vectors.back(), source.n_rows);
  }
}

/// As many ranks as parts: the parts. Otherwise equal blocks.
void choose_rows(Source& source, int rank, int ranks) {
  const BlockRange blocks{source.n_rows, ranks};
  const bool keep = source.parts() == ranks;
  source.row_begin = keep ? source.row_ranges[rank] : blocks.begin(rank);
  const GlobalIndex end = keep ? source.row_ranges[rank + 1] : blocks.begin(rank + 1);
  source.rows = narrow<LocalIndex>(end - source.row_begin);
}

/// Rows [first, first + count) of a dataset, the first `checked` of which this rank adds to the checksum.
/// Collective.
template <class To>
std::vector<To> read_array(Communicator& comm, const Source& source, const Dataset& set, GlobalIndex first,
                           GlobalIndex count, GlobalIndex checked, std::int64_t* vanished = nullptr) {
  std::vector<To> values;
  std::uint64_t sum = 0;
  agree(comm, [&] { sum = hdf5::read_slab(source.file, set, first, count, checked, values, vanished); });
  hdf5::verify(comm, source.file, set, sum);
  return values;
}

/// Row pointers of this rank's rows as positions in the file. The pointer between two ranks is read by both
/// and counted in the checksum by the second.
std::vector<Offset> read_pointers(Communicator& comm, const Source& source) {
  const bool last = comm.rank() == comm.size() - 1;
  std::vector<Offset> pointers = read_array<Offset>(comm, source, source.indptr, source.row_begin, source.rows + 1,
                                                    source.rows + (last ? 1 : 0));
  agree(comm, [&] {
    if (!std::is_sorted(pointers.begin(), pointers.end()) || pointers.front() < 0 ||
        pointers.back() > source.entries || (source.row_begin == 0 && pointers.front() != 0) ||
        (source.last_row_here() && pointers.back() != source.entries))
      refuse(source.file, fmt::format("/matrix/indptr must ascend from 0 to {}; rows {} to {} do not", source.entries,
                                      source.row_begin, source.row_begin + source.rows));
  });
  return pointers;
}

template <class T>
RowBlock<T> read_rows(const Context& context, const Source& source) {
  Communicator& comm = *context.comm;
  RowBlock<T> rows;
  rows.n_rows = source.n_rows;
  rows.n_cols = source.n_cols;
  rows.row_begin = source.row_begin;
  rows.offsets = read_pointers(comm, source);
  const Offset first = rows.offsets.front(), count = rows.offsets.back() - first;
  for (Offset& offset : rows.offsets) offset -= first;

  rows.column = read_array<GlobalIndex>(comm, source, source.indices, first, count, count);
  agree(comm, [&] {
    for (const GlobalIndex column : rows.column)
      if (column < 0 || column >= source.n_cols)
        refuse(source.file,
               fmt::format("/matrix/indices holds column {} of a matrix with {} columns", column, source.n_cols));
  });
  std::int64_t vanished = 0;
  rows.value = read_array<T>(comm, source, source.data, first, count, count, &vanished);
  note_underflow<T>(context, vanished, source.file.path());
  return rows;
}

/// Every number from 0 to n - 1 once: as a sum of hashes over the ranks, so that nothing need travel.
void check_permutation(Communicator& comm, const Source& source, std::span<const GlobalIndex> original) {
  std::uint64_t difference = 0;
  agree(comm, [&] {
    for (LocalIndex i = 0; i < source.rows; ++i) {
      if (original[i] < 0 || original[i] >= source.n_rows)
        refuse(source.file, fmt::format("/matrix/original_index holds row {} of a matrix with {} rows", original[i],
                                        source.n_rows));
      difference += element_hash(0, static_cast<std::uint64_t>(original[i])) -
                    element_hash(0, static_cast<std::uint64_t>(source.row_begin + i));
    }
  });
  difference = sum_over_ranks(comm, difference);
  agree(comm, [&] {
    if (difference != 0) refuse(source.file, "/matrix/original_index names some row twice and another one never");
  });
}

Numbering read_numbering(Communicator& comm, const Source& source) {
  Numbering numbering;
  numbering.n = source.n_rows;
  numbering.owned_begin = source.row_begin;
  numbering.owned_count = source.rows;
  numbering.original_index =
      read_array<GlobalIndex>(comm, source, source.original, source.row_begin, source.rows, source.rows);
  check_permutation(comm, source, numbering.original_index);

  bool same = true;
  for (LocalIndex i = 0; i < source.rows; ++i) same &= numbering.original_index[i] == source.row_begin + i;
  if (comm.all_reduce(std::int64_t{same}, ReduceOp::min)) numbering.original_index = {};
  return numbering;
}

[[noreturn]] void refuse_plan(const Source& source, const Dataset& set) {
  refuse(source.file, fmt::format("the halo plan does not belong to the matrix: {} differs", set.path));
}

/// The stored halo plan must be the one that follows from the matrix.
template <class T>
void check_plan(const Context& context, const Source& source, const RowBlock<T>& rows) {
  Communicator& comm = *context.comm;
  const std::vector<PlanArray> plan =
      plan_arrays(comm, find_part_halo(context, rows.row_begin, rows.offsets, rows.column, source.row_ranges,
                                       source.column_ranges));
  std::vector<Dataset> sets;
  agree(comm, [&] {
    for (const PlanArray& array : plan) {
      sets.push_back(source.file.open("/matrix/halo/" + array.name, {Type::int64}));
      if (sets.back().rows != array.total) refuse_plan(source, sets.back());
    }
  });
  std::vector<std::vector<std::int64_t>> stored(sets.size());
  std::vector<std::uint64_t> sums(sets.size());
  agree(comm, [&] {
    for (std::size_t a = 0; a < sets.size(); ++a) {
      const std::int64_t count = std::ssize(plan[a].values);
      sums[a] = hdf5::read_slab(source.file, sets[a], plan[a].first, count, count, stored[a]);
    }
  });
  hdf5::verify(comm, source.file, sets, sums);
  agree(comm, [&] {
    for (std::size_t a = 0; a < sets.size(); ++a)
      if (stored[a] != plan[a].values) refuse_plan(source, sets[a]);
  });
}

} // namespace

template <class T>
StoredMatrix<T> read_store(const Context& context, const std::string& path) {
  Communicator& comm = *context.comm;
  const Seal seal = hdf5::check_seal(comm, path);
  std::optional<Source> source;
  agree(comm, [&] {
    source.emplace(path, seal);
    open_group(*source);
    open_arrays(*source);
    choose_rows(*source, comm.rank(), comm.size());
  });

  StoredMatrix<T> stored;
  stored.parts = source->parts();
  stored.same_layout = stored.parts == comm.size();
  stored.name = source->name;
  stored.rows = read_rows<T>(context, *source);
  stored.numbering = read_numbering(comm, *source);
  check_plan(context, *source, stored.rows);
  for (const Dataset& set : source->vectors)
    stored.vectors.push_back({set.path.substr(set.path.rfind('/') + 1), narrow<LocalIndex>(set.columns),
                              read_array<T>(comm, *source, set, source->row_begin, source->rows, source->rows)});

  hdf5::require_seal(comm, path, seal);
  return stored;
}

template StoredMatrix<float> read_store<float>(const Context&, const std::string&);
template StoredMatrix<double> read_store<double>(const Context&, const std::string&);

} // namespace atl
