#include <atoll/comm/agree.hpp>
#include <atoll/io/entry_router.hpp>
#include <atoll/io/matrix_market_reader.hpp>
#include <atoll/io/memory_guard.hpp>
#include <atoll/io/underflow.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace atl {
namespace {

using Layout = MatrixMarketHeader::Layout;
using Field = MatrixMarketHeader::Field;
using Symmetry = MatrixMarketHeader::Symmetry;

bool is_array(const MatrixMarketHeader& header) { return header.layout == Layout::array; }
bool is_mirrored(const MatrixMarketHeader& header) { return header.symmetry != Symmetry::general; }
double mirror_sign(const MatrixMarketHeader& header) { return header.symmetry == Symmetry::skew_symmetric ? -1 : 1; }

/// Refuses, the same on all ranks, what cannot be read whatever the data lines say. Collective.
void check_readable(Communicator& comm, const MatrixMarketHeader& header, const std::string& name) {
  if (header.field == Field::complex)
    throw Error(ErrorKind::bad_input, "complex matrices are not supported; real, integer or pattern values expected",
                place(name, 1));
  const GlobalIndex slab = BlockRange{header.rows, comm.size()}.size(0);
  constexpr GlobalIndex limit = std::numeric_limits<LocalIndex>::max();
  const std::string size = fmt::format("a {} x {} matrix", header.rows, header.cols);
  if (slab > limit)
    throw Error(ErrorKind::limit,
                fmt::format("{} is too large: {} rows on a rank, the limit is {}; use at least {} ranks", size, slab,
                            limit, header.rows / limit + 1),
                place(name, header.data_line - 1));
  const double entries = static_cast<double>(header.entries) / comm.size() * (is_mirrored(header) ? 2 : 1);
  require_memory(comm, 8.0 * static_cast<double>(slab) + 24 * entries, size, place(name, header.data_line - 1));
}

/// Values in the precision asked for. Beyond its range is as bad as infinite; what is too small becomes a stored zero
/// and is counted.
template <class T>
class Scalars {
 public:
  T convert(double value, bool vanished) {
    const auto result = static_cast<T>(value);
    if (!std::isfinite(result))
      throw Error(ErrorKind::bad_input, fmt::format("value {} does not fit single precision; use double", value));
    last_vanished_ = vanished || (result == 0 && value != 0);
    vanished_ += last_vanished_;
    return result;
  }
  bool last_vanished() const { return last_vanished_; }
  Offset vanished() const { return vanished_; }

 private:
  Offset vanished_ = 0;
  bool last_vanished_ = false;
};

template <class T>
void add_entry(EntryRouter<T>& router, const MatrixMarketHeader& header, GlobalIndex row, GlobalIndex column,
               T value) {
  if (is_mirrored(header))
    router.add_mirrored(row, column, value, static_cast<T>(mirror_sign(header)));
  else
    router.add(row, column, value);
}

/// First lines of this rank, from 1, with an entry on either side of the diagonal; 0 where there is none.
struct Triangles {
  Offset lower_line = 0, upper_line = 0;

  void note(const MatrixMarketEntry& entry, Offset line) {
    if (entry.row > entry.column && !lower_line) lower_line = line;
    if (entry.row < entry.column && !upper_line) upper_line = line;
  }
};

/// A symmetric file that stores both triangles would be doubled by mirroring: refused. One triangle may be
/// the upper one, although the format asks for the lower. Collective.
void agree_on_triangle(Communicator& comm, const Triangles& mine, const LinesSeen& seen,
                       const MatrixMarketHeader& header, const std::string& name) {
  const Offset before = header.data_line - 1 + comm.exclusive_sum(seen.lines);
  constexpr Offset none = std::numeric_limits<Offset>::max();
  Offset first[2] = {mine.lower_line ? before + mine.lower_line : none,
                     mine.upper_line ? before + mine.upper_line : none};
  comm.all_reduce(first, ReduceOp::min);
  if (first[0] == none || first[1] == none) return;
  const bool upper_came_later = first[1] > first[0];
  throw Error(ErrorKind::bad_input,
              fmt::format("an entry {} the diagonal, after one {} it in line {}; a symmetric kind of file stores "
                          "one triangle, general was perhaps meant",
                          upper_came_later ? "above" : "below", upper_came_later ? "below" : "above",
                          std::min(first[0], first[1])),
              place(name, std::max(first[0], first[1])));
}

template <class T>
void read_coordinate(EntryRouter<T>& router, const Context& context, const ByteSource& bytes,
                     const MatrixMarketHeader& header, const std::string& name) {
  Communicator& comm = *context.comm;
  Triangles triangles;
  Scalars<T> scalars;
  ReadProgress progress(*context.observer, header, comm, bytes, 1);
  const LinesSeen seen = visit_lines(data_lines(comm, bytes, header), progress, [&](const Line& text, Offset line) {
    const MatrixMarketEntry entry = parse_entry(text, header);
    if (is_mirrored(header)) triangles.note(entry, line);
    add_entry(router, header, entry.row, entry.column, scalars.convert(entry.value, entry.vanished));
  });
  agree_on_lines(comm, seen, header, name);
  agree_on_count(comm, bytes, seen, header, name);
  if (is_mirrored(header)) agree_on_triangle(comm, triangles, seen, header, name);
  note_underflow<T>(context, scalars.vanished(), name);
}

/// Walks through the places of an array file's values, column by column.
class ArrayCursor {
 public:
  ArrayCursor(const MatrixMarketHeader& header, Offset number) : header_(header) {
    if (!is_mirrored(header)) {
      column_ = header.rows ? number / header.rows : 0;
      row_ = header.rows ? number % header.rows : 0;
      return;
    }
    // Columns of a triangle grow shorter; walking over them costs less than reading their values did.
    for (row_ = first_row(); number >= header.rows - row_ && column_ < header.cols; row_ = first_row()) {
      number -= header.rows - row_;
      ++column_;
    }
    row_ += number;
  }
  GlobalIndex row() const { return row_; }
  GlobalIndex column() const { return column_; }
  void advance() {
    if (++row_ < header_.rows) return;
    ++column_;
    row_ = first_row();
  }

 private:
  GlobalIndex first_row() const {
    if (!is_mirrored(header_)) return 0;
    return header_.symmetry == Symmetry::skew_symmetric ? column_ + 1 : column_;
  }
  const MatrixMarketHeader& header_;
  GlobalIndex row_ = 0, column_ = 0;
};

/// Which value stands where is known only when the values before are counted, so the lines are read twice.
template <class T>
void read_array(EntryRouter<T>& router, const Context& context, const ByteSource& bytes,
                const MatrixMarketHeader& header, const std::string& name, bool keep_zeros) {
  Communicator& comm = *context.comm;
  ReadProgress progress(*context.observer, header, comm, bytes, 2);
  const LinesSeen counted = visit_lines(data_lines(comm, bytes, header), progress, [](const Line&, Offset) {});
  agree_on_lines(comm, counted, header, name);
  const Offset before = agree_on_count(comm, bytes, counted, header, name);
  ArrayCursor cursor(header, before);
  Scalars<T> scalars;
  progress.next_round();
  const LinesSeen seen = visit_lines(data_lines(comm, bytes, header), progress, [&](const Line& text, Offset) {
    const MatrixMarketValue read = parse_value(text, header);
    const T value = scalars.convert(read.value, read.vanished);
    if (value != 0 || keep_zeros || scalars.last_vanished())
      add_entry(router, header, cursor.row(), cursor.column(), value);
    cursor.advance();
  });
  agree_on_lines(comm, seen, header, name);
  note_underflow<T>(context, scalars.vanished(), name);
}

/// Every line holds a finite number, so what is not finite now is a sum of duplicates.
template <class T>
void require_finite_sums(const RowBlock<T>& block, const std::string& name) {
  const auto bad = std::find_if(block.value.begin(), block.value.end(), [](T v) { return !std::isfinite(v); });
  if (bad == block.value.end()) return;
  const Offset at = bad - block.value.begin();
  const auto row = std::upper_bound(block.offsets.begin(), block.offsets.end(), at) - block.offsets.begin() - 1;
  throw Error(ErrorKind::bad_input,
              fmt::format("entry ({}, {}) is stored more than once, and the sum of its values is too large for {} "
                          "precision",
                          block.row_begin + row + 1, block.column[static_cast<std::size_t>(at)] + 1,
                          sizeof(T) == 4 ? "single" : "double"),
              name);
}

template <class T>
EntryRouter<T> make_router(const CommunicatorPtr& comm, const MatrixMarketHeader& header, const std::string& name) {
  check_readable(*comm, header, name);
  try {
    return EntryRouter<T>(comm, header.rows, header.cols);
  } catch (const Error& error) { // the same on all ranks
    throw Error(error.kind(), error.what(), place(name, header.data_line - 1));
  }
}

template <class T>
DenseSlab<T> densify(const RowBlock<T>& rows, LocalIndex columns) {
  DenseSlab<T> slab{rows.n_rows, columns, std::vector<T>(static_cast<std::size_t>(rows.rows()) * columns)};
  for (LocalIndex row = 0; row < rows.rows(); ++row)
    for (Offset e = rows.offsets[row]; e < rows.offsets[row + 1]; ++e)
      slab.values[static_cast<Offset>(row) * columns + rows.column[e]] = rows.value[e];
  return slab;
}

/// The file, open on all ranks, which must agree on where it ends.
std::unique_ptr<FileBytes> open_together(Communicator& comm, const std::string& path) {
  std::unique_ptr<FileBytes> bytes;
  agree(comm, [&] { bytes = std::make_unique<FileBytes>(path); });
  Offset sizes[2] = {bytes->size(), -bytes->size()};
  comm.all_reduce(sizes, ReduceOp::max);
  if (sizes[0] != -sizes[1])
    throw Error(
        ErrorKind::bad_input,
        fmt::format("has {} bytes on one rank and {} on another; is it still being written?", sizes[0], -sizes[1]),
        path);
  return bytes;
}

} // namespace

template <class T>
RowBlock<T> read_matrix_market(const Context& context, const ByteSource& bytes, const MatrixMarketHeader& header,
                               const std::string& name) {
  auto router = make_router<T>(context.comm, header, name);
  if (is_array(header))
    read_array(router, context, bytes, header, name, false);
  else
    read_coordinate(router, context, bytes, header, name);
  router.deliver();
  RowBlock<T> block;
  agree(*context.comm, [&] {
    block = router.rows(static_cast<T>(mirror_sign(header)));
    require_finite_sums(block, name);
  });
  return block;
}

template <class T>
DenseSlab<T> read_dense_matrix_market(const Context& context, const ByteSource& bytes,
                                      const MatrixMarketHeader& header, const std::string& name) {
  if (!std::in_range<LocalIndex>(header.cols))
    throw Error(ErrorKind::limit,
                fmt::format("a dense array of {} columns is too large, the limit is {}", header.cols,
                            std::numeric_limits<LocalIndex>::max()),
                place(name, header.data_line - 1));
  const auto columns = static_cast<LocalIndex>(header.cols);
  const double slab = static_cast<double>(BlockRange{header.rows, context.size()}.size(0));
  require_memory(*context.comm, slab * columns * sizeof(T),
                 fmt::format("a dense {} x {} array", header.rows, header.cols), place(name, header.data_line - 1));
  if (!is_array(header)) {
    const auto rows = read_matrix_market<T>(context, bytes, header, name);
    DenseSlab<T> result;
    agree(*context.comm, [&] { result = densify(rows, columns); });
    return result;
  }
  auto router = make_router<T>(context.comm, header, name);
  read_array(router, context, bytes, header, name, true);
  router.deliver();
  DenseSlab<T> result{header.rows, columns, {}};
  agree(*context.comm, [&] { result.values = router.dense(static_cast<T>(mirror_sign(header))); });
  return result;
}

template <class T>
RowBlock<T> read_matrix_market(const Context& context, const std::string& path) {
  const auto header = read_matrix_market_header(*context.comm, path);
  const auto bytes = open_together(*context.comm, path);
  return read_matrix_market<T>(context, *bytes, header, path);
}

template <class T>
DenseSlab<T> read_dense_matrix_market(const Context& context, const std::string& path) {
  const auto header = read_matrix_market_header(*context.comm, path);
  const auto bytes = open_together(*context.comm, path);
  return read_dense_matrix_market<T>(context, *bytes, header, path);
}

template RowBlock<float> read_matrix_market(const Context&, const std::string&);
template RowBlock<double> read_matrix_market(const Context&, const std::string&);
template DenseSlab<float> read_dense_matrix_market(const Context&, const std::string&);
template DenseSlab<double> read_dense_matrix_market(const Context&, const std::string&);
template RowBlock<float> read_matrix_market(const Context&, const ByteSource&, const MatrixMarketHeader&,
                                            const std::string&);
template RowBlock<double> read_matrix_market(const Context&, const ByteSource&, const MatrixMarketHeader&,
                                             const std::string&);
template DenseSlab<float> read_dense_matrix_market(const Context&, const ByteSource&, const MatrixMarketHeader&,
                                                   const std::string&);
template DenseSlab<double> read_dense_matrix_market(const Context&, const ByteSource&, const MatrixMarketHeader&,
                                                    const std::string&);

} // namespace atl
