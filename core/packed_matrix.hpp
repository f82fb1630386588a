#pragma once

#include <atoll/core/csr_matrix.hpp>

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace atl {

/// How the rows of a chunk are stored. Columns and values are written as narrow as they can be exactly:
/// columns in 2 bytes from the chunk's first column, or 4; values as a byte into a palette of 256, as float, or full.
enum class StorageForm : std::uint8_t {
  csr,     ///< row after row, 4 bytes a column, values in full
  sell,    ///< slices of 8 rows, entry by entry, so that SIMD runs over rows (Kreutzer et al., 2014: SELL-C-sigma)
  stencil, ///< runs of rows that repeat one pattern of (column less row, value): 8 bytes a run
  block    ///< groups of up to 4 rows that share their columns, which are written once
};
enum class ColumnWidth : std::uint8_t { wide, narrow };
enum class ValueWidth : std::uint8_t { full, single, palette };
/// What decides between the forms: the fewest bytes, or one form wherever it can hold the rows (else slices).
enum class StorageWish : std::uint8_t { least_bytes, csr, sell, stencil, block };

ATOLL_API std::string_view to_string(StorageForm form);

/// Rows [first, first + rows) of a PackedMatrix.
struct PackedChunk {
  LocalIndex first = 0;
  LocalIndex rows = 0;
  StorageForm form = StorageForm::csr;
  ColumnWidth column_width = ColumnWidth::wide;
  ValueWidth value_width = ValueWidth::full;
  bool permuted = false;      ///< slices hold the rows by descending length
  LocalIndex base = 0;        ///< narrow columns count from here
  LocalIndex reach_begin = 0; ///< the entries lie in the columns [reach_begin, reach_end)
  LocalIndex reach_end = 0;
  std::uint32_t groups = 0;  ///< slices, runs, or groups of rows
  std::uint32_t columns = 0; ///< columns written, with padding
  std::uint32_t values = 0;  ///< values written, with padding
  std::uint32_t entries = 0;
  Offset data = 0; ///< where its bytes begin
};

/// One pattern of the stencil form: columns [column_begin, column_begin + columns) of the offsets, shared by `rows`
/// rows, whose values stand column after column from value_begin.
struct StencilPattern {
  std::uint32_t column_begin = 0;
  std::uint32_t value_begin = 0;
  std::uint16_t columns = 0;
  std::uint16_t rows = 1;
};

/// `count` groups of rows, one after the other from row `first` of the chunk, with the same pattern.
struct StencilRun {
  std::uint16_t first = 0;
  std::uint16_t count = 0;
  std::uint32_t pattern = 0;
};

/// The rows of one chunk in plain form.
template <class T>
struct ChunkRows {
  std::vector<Offset> begin{0};
  std::vector<LocalIndex> column;
  std::vector<T> value;

  LocalIndex rows() const { return static_cast<LocalIndex>(begin.size() - 1); }
  Offset length(LocalIndex row) const { return begin[row + 1] - begin[row]; }
  void clear() {
    begin.assign(1, 0);
    column.clear();
    value.clear();
  }
  CsrView<T> view(LocalIndex columns) const {
    return {rows(), columns, begin.data(), column.data(), value.data(), nullptr};
  }
};

/// Puts the rows [first, first + count) into `rows`, replacing what it held.
template <class T>
using ChunkReader = std::function<void(LocalIndex first, LocalIndex count, ChunkRows<T>& rows)>;

/// What a kernel sees of one chunk; which pointers are set depends on the form and the widths.
template <class T>
struct PackedView {
  PackedChunk chunk;
  const std::uint32_t* row_begin = nullptr; ///< csr: rows + 1
  const std::uint16_t* width = nullptr;     ///< columns of each slice or group
  const std::uint16_t* row = nullptr;       ///< permuted slices: row of the chunk, 8 a slice
  const std::uint8_t* group_rows = nullptr; ///< rows of each group
  const LocalIndex* wide = nullptr;
  const std::uint16_t* narrow = nullptr;
  const T* full = nullptr;
  const float* single = nullptr;
  const std::uint8_t* code = nullptr;
  const T* palette = nullptr;
  const float* few = nullptr; ///< 8 values, where the palette holds no more and floats hold them exactly
  const StencilRun* run = nullptr;
  const StencilPattern* pattern = nullptr;
  const LocalIndex* offset = nullptr;
  const T* pattern_value = nullptr;
};

/// Local sparse matrix in chunks of rows, each in the form that takes the fewest bytes; in host memory.
/// The entries of a row keep the order in which they were given, in every form, so that row sums round alike.
template <class T>
class ATOLL_API PackedMatrix {
 public:
  static constexpr LocalIndex chunk_rows = 1024;
  static constexpr LocalIndex slice_rows = 8;

  PackedMatrix() = default;
  /// Reads the rows two or three times. An updatable matrix gives each value a place of its own, in full width, in
  /// slices, groups or rows.
  PackedMatrix(const ExecutorPtr& executor, LocalIndex rows, LocalIndex columns, const ChunkReader<T>& read,
               StorageWish wish = StorageWish::least_bytes, bool updatable = false);

  LocalIndex rows() const { return rows_; }
  LocalIndex columns() const { return columns_; }
  Offset entries() const { return entries_; }
  bool updatable() const { return updatable_; }
  std::span<const PackedChunk> chunks() const { return chunks_; }
  PackedView<T> view(std::size_t chunk) const;

  /// The rows of a chunk as they were given.
  void unpack(std::size_t chunk, ChunkRows<T>& rows) const;
  /// Index into values() of each entry of a chunk, in the order of unpack(); the matrix must be updatable.
  void places(std::size_t chunk, std::vector<Offset>& places) const;
  std::span<T> values();

  std::size_t bytes() const;                 ///< chunks and patterns: what a product reads
  Offset entries_in(StorageForm form) const; ///< entries held in a form
  std::size_t n_patterns() const { return pattern_.size(); }

 private:
  friend class PackedBuild;
  LocalIndex rows_ = 0, columns_ = 0;
  Offset entries_ = 0;
  bool updatable_ = false;
  std::vector<PackedChunk> chunks_;
  Array<std::byte> data_;
  std::vector<StencilPattern> pattern_;
  std::vector<LocalIndex> pattern_offset_; ///< column less the first row of the group
  std::vector<T> pattern_value_;
  std::vector<T> palette_; ///< 256 values, or none
  std::vector<float> few_; ///< the same 8, where there are no more and floats hold them
};

extern template class PackedMatrix<float>;
extern template class PackedMatrix<double>;

} // namespace atl
