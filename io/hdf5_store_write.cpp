#include <atoll/core/version.hpp>
#include <atoll/io/hdf5_slabs.hpp>
#include <atoll/io/part_halo.hpp>
#include <atoll/io/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace atl {
namespace {

using hdf5::Dataset;
using hdf5::SlabWriter;
using hdf5::Type;
using hdf5::Writer;

[[noreturn]] void misuse(const std::string& what) { throw Error(ErrorKind::usage, what, "write_store"); }

void check_numbering(const Numbering& numbering, GlobalIndex n_rows, GlobalIndex row_begin, LocalIndex rows) {
  if (numbering.n != n_rows || numbering.owned_begin != row_begin || numbering.owned_count != rows)
    misuse(fmt::format("the numbering is of {} rows, {} here from {} on; the matrix has {}, {} here from {} on",
                       numbering.n, numbering.owned_count, numbering.owned_begin, n_rows, rows, row_begin));
  if (!numbering.identity() && std::ssize(numbering.original_index) != rows)
    misuse(fmt::format("{} original numbers for {} rows", numbering.original_index.size(), rows));
}

void check_ranges(std::span<const GlobalIndex> ranges, GlobalIndex n_rows) {
  if (ranges.size() < 2 || ranges.front() != 0 || ranges.back() != n_rows ||
      !std::is_sorted(ranges.begin(), ranges.end()))
    misuse(fmt::format("row_ranges must be one offset more than parts, ascending from 0 to {}", n_rows));
  if (ranges.size() > static_cast<std::size_t>(std::numeric_limits<int>::max()))
    misuse(fmt::format("{} parts are more than a store can name", ranges.size() - 1));
}

template <class T>
void check_vector(const StoredVector<T>& vector, LocalIndex rows) {
  const auto plain = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_'; };
  if (vector.name.empty() || vector.name.size() > 100 || !std::all_of(vector.name.begin(), vector.name.end(), plain))
    misuse(fmt::format("the vector name '{}' must be letters, digits, '-' and '_'", vector.name));
  if (vector.columns < 1 || std::ssize(vector.values) != GlobalIndex{rows} * vector.columns)
    misuse(fmt::format("the vector {} has {} values for {} rows of {}", vector.name, vector.values.size(), rows,
                       vector.columns));
}

/// Columns are owned as rows are where the matrix is square, in equal blocks otherwise.
std::vector<GlobalIndex> column_ranges(std::span<const GlobalIndex> row_ranges, GlobalIndex rows, GlobalIndex cols) {
  std::vector<GlobalIndex> ranges(row_ranges.begin(), row_ranges.end());
  const BlockRange blocks{cols, static_cast<int>(ranges.size()) - 1};
  if (rows != cols)
    for (std::size_t p = 0; p < ranges.size(); ++p) ranges[p] = blocks.begin(static_cast<int>(p));
  return ranges;
}

/// One store being written: what all steps need to know.
template <class T>
struct Task {
  const Context& context;
  const RowBlock<T>& rows;
  const Numbering& numbering;
  std::span<const GlobalIndex> row_ranges;
  std::span<const StoredVector<T>> vectors;
  const StoreOptions& options;
  GlobalIndex first_entry = 0, entries = 0;
  std::vector<GlobalIndex> column_ranges;
  std::vector<PlanArray> plan;

  /// SciPy takes both widths; the narrow one halves the file's largest integer array.
  bool narrow() const { return rows.n_cols <= std::numeric_limits<std::int32_t>::max(); }
  std::int64_t bytes() const {
    std::int64_t row = 16, all = 16 * std::ssize(row_ranges);
    for (const StoredVector<T>& vector : vectors) row += vector.columns * std::int64_t{sizeof(T)};
    for (const PlanArray& array : plan) all += 8 * array.total;
    return all + row * rows.n_rows + entries * (std::int64_t{sizeof(T)} + (narrow() ? 4 : 8));
  }
  bool last() const { return context.rank() == context.size() - 1; }
};

void write_provenance(Writer& file, const std::string& name, int ranks, bool square) {
  file.make_group("/matrix");
  file.make_group("/matrix/halo");
  file.set_attribute("/", "atoll_version", std::string(atoll_version()));
  file.set_attribute("/", "store_version", std::int64_t{1});
  file.set_attribute("/", "ranks", std::int64_t{ranks});
  file.set_attribute("/matrix", "format", std::string("csr"));
  file.set_attribute("/matrix", "name", name);
  file.set_attribute("/matrix", "column_numbering", std::string(square ? "global" : "original"));
}

/// Few numbers that all ranks know; rank 0 writes them.
void write_small(SlabWriter& file, const Context& context, const Dataset& set, std::span<const GlobalIndex> values) {
  file.write<GlobalIndex>(set, 0, context.rank() == 0 ? values : values.first(0));
}

template <class T>
void write_entries(SlabWriter& file, const Task<T>& task, const Dataset& indptr, const Dataset& indices,
                   const Dataset& data) {
  const RowBlock<T>& rows = task.rows;
  file.write<std::int64_t>(indptr, rows.row_begin, rows.rows() + (task.last() ? 1 : 0),
                           [&](std::int64_t i, std::int64_t n, std::int64_t* out) {
                             for (std::int64_t k = 0; k < n; ++k) out[k] = task.first_entry + rows.offsets[i + k];
                           });
  if (task.narrow())
    file.write<std::int32_t>(indices, task.first_entry, rows.entries(),
                             [&](std::int64_t i, std::int64_t n, std::int32_t* out) {
                               for (std::int64_t k = 0; k < n; ++k)
                                 out[k] = static_cast<std::int32_t>(rows.column[i + k]);
                             });
  else
    file.write<std::int64_t>(indices, task.first_entry, std::span<const GlobalIndex>(rows.column));
  file.write<T>(data, task.first_entry, std::span<const T>(rows.value));
}

template <class T>
void write_vectors(SlabWriter& file, const Task<T>& task) {
  if (task.vectors.empty()) return;
  file.define([](Writer& out) { out.make_group("/matrix/vectors"); });
  for (const StoredVector<T>& vector : task.vectors) {
    Dataset set;
    file.define([&](Writer& out) {
      set = file.make(out, "/matrix/vectors/" + vector.name, hdf5::type_of<T>(), task.rows.n_rows, true,
                      vector.columns, task.options.compress);
    });
    file.write<T>(set, task.rows.row_begin, std::span<const T>(vector.values));
  }
}

template <class T>
void write_content(SlabWriter& file, const Task<T>& task) {
  const RowBlock<T>& rows = task.rows;
  const bool compress = task.options.compress;
  const GlobalIndex ranges = std::ssize(task.row_ranges);
  Dataset shape, row_ranges, columns, indptr, indices, data, original;
  std::vector<Dataset> plan;
  file.define([&](Writer& out) {
    write_provenance(out, task.options.name, task.context.size(), rows.n_rows == rows.n_cols);
    shape = file.make(out, "/matrix/shape", Type::int64, 2);
    row_ranges = file.make(out, "/matrix/row_ranges", Type::int64, ranges);
    columns = file.make(out, "/matrix/halo/column_ranges", Type::int64, ranges);
    for (const PlanArray& array : task.plan)
      plan.push_back(file.make(out, "/matrix/halo/" + array.name, Type::int64, array.total, false, 1, compress));
    original = file.make(out, "/matrix/original_index", Type::int64, rows.n_rows, false, 1, compress);
    indptr = file.make(out, "/matrix/indptr", Type::int64, rows.n_rows + 1, false, 1, compress);
    indices = file.make(out, "/matrix/indices", task.narrow() ? Type::int32 : Type::int64, task.entries, false, 1,
                        compress);
    data = file.make(out, "/matrix/data", hdf5::type_of<T>(), task.entries, false, 1, compress);
  });

  const GlobalIndex size[2] = {rows.n_rows, rows.n_cols};
  write_small(file, task.context, shape, size);
  write_small(file, task.context, row_ranges, task.row_ranges);
  write_small(file, task.context, columns, task.column_ranges);
  for (std::size_t a = 0; a < plan.size(); ++a)
    file.write<std::int64_t>(plan[a], task.plan[a].first, std::span<const std::int64_t>(task.plan[a].values));
  file.write<std::int64_t>(original, rows.row_begin, rows.rows(),
                           [&](std::int64_t i, std::int64_t n, std::int64_t* out) {
                             for (std::int64_t k = 0; k < n; ++k)
                               out[k] = task.numbering.original(static_cast<LocalIndex>(i + k));
                           });
  write_entries(file, task, indptr, indices, data);
  write_vectors(file, task);
}

} // namespace

template <class T>
void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows, const Numbering& numbering,
                 std::span<const GlobalIndex> row_ranges, const StoreOptions& options,
                 std::span<const std::type_identity_t<StoredVector<T>>> vectors) {
  Communicator& comm = *context.comm;
  validate(comm, rows);
  agree(comm, [&] {
    check_numbering(numbering, rows.n_rows, rows.row_begin, rows.rows());
    check_ranges(row_ranges, rows.n_rows);
    for (const StoredVector<T>& vector : vectors) check_vector(vector, rows.rows());
  });

  Task<T> task{context, rows, numbering, row_ranges, vectors, options, 0, 0, {}, {}};
  task.first_entry = comm.exclusive_sum(rows.entries());
  task.entries = comm.all_reduce(rows.entries(), ReduceOp::sum);
  task.column_ranges = column_ranges(row_ranges, rows.n_rows, rows.n_cols);
  task.plan = plan_arrays(
      comm, find_part_halo(context, rows.row_begin, rows.offsets, rows.column, row_ranges, task.column_ranges));

  hdf5::write_file(context.comm, path, task.bytes(), [&](SlabWriter& file) { write_content(file, task); });
}

template <class T>
void write_store(const Context& context, const std::string& path, const RowBlock<T>& rows, const Numbering& numbering,
                 const StoreOptions& options, std::span<const std::type_identity_t<StoredVector<T>>> vectors) {
  std::vector<GlobalIndex> row_ranges = context.comm->all_gather(rows.row_begin);
  row_ranges.push_back(rows.n_rows);
  write_store(context, path, rows, numbering, std::span<const GlobalIndex>(row_ranges), options, vectors);
}

#define ATOLL_STORE(T)                                                                                               \
  template void write_store<T>(const Context&, const std::string&, const RowBlock<T>&, const Numbering&,             \
                               const StoreOptions&, std::span<const StoredVector<T>>);                               \
  template void write_store<T>(const Context&, const std::string&, const RowBlock<T>&, const Numbering&,             \
                               std::span<const GlobalIndex>, const StoreOptions&, std::span<const StoredVector<T>>);
ATOLL_STORE(float)
ATOLL_STORE(double)
#undef ATOLL_STORE

} // namespace atl
