#include <atoll/core/packed_layout.hpp>
#include <atoll/core/packed_matrix.hpp>

#include <algorithm>

namespace atl {

std::string_view to_string(StorageForm form) {
  constexpr std::string_view names[] = {"csr", "sell", "stencil", "block"};
  return names[static_cast<std::size_t>(form)];
}

template <class T>
PackedView<T> PackedMatrix<T>::view(std::size_t c) const {
  const PackedChunk& chunk = chunks_[c];
  const PackedLayout layout(chunk, sizeof(T));
  const std::byte* data = data_.data() + chunk.data;
  PackedView<T> v;
  v.chunk = chunk;
  v.row_begin = reinterpret_cast<const std::uint32_t*>(data + layout.row_begin);
  v.width = reinterpret_cast<const std::uint16_t*>(data + layout.width);
  v.row = reinterpret_cast<const std::uint16_t*>(data + layout.row);
  v.group_rows = reinterpret_cast<const std::uint8_t*>(data + layout.group_rows);
  v.run = reinterpret_cast<const StencilRun*>(data + layout.run);
  v.wide = reinterpret_cast<const LocalIndex*>(data + layout.columns);
  v.narrow = reinterpret_cast<const std::uint16_t*>(data + layout.columns);
  v.full = reinterpret_cast<const T*>(data + layout.values);
  v.single = reinterpret_cast<const float*>(data + layout.values);
  v.code = reinterpret_cast<const std::uint8_t*>(data + layout.values);
  v.palette = palette_.data();
  v.few = few_.empty() ? nullptr : few_.data();
  v.pattern = pattern_.data();
  v.offset = pattern_offset_.data();
  v.pattern_value = pattern_value_.data();
  return v;
}

namespace {

template <class T>
LocalIndex column_at(const PackedView<T>& v, std::size_t i) {
  return v.chunk.column_width == ColumnWidth::narrow ? v.chunk.base + v.narrow[i] : v.wide[i];
}

template <class T>
T value_at(const PackedView<T>& v, std::size_t i) {
  switch (v.chunk.value_width) {
  case ValueWidth::full:
    return v.full[i];
  case ValueWidth::single:
    return static_cast<T>(v.single[i]);
  case ValueWidth::palette:
    return v.palette[v.code[i]];
  }
  return T{0};
}

/// Where the entries of each row of a chunk stand: row r has `length[r]` of them, the k-th with its column at
/// column[r] + k * column_step[r] and its value at value[r] + k * value_step[r]. Stencils have no places: their rows
/// are found through their pattern.
struct RowPlaces {
  std::uint32_t length = 0, column = 0, column_step = 1, value = 0, value_step = 1;
  std::uint32_t pattern = 0;
  LocalIndex group_first = 0; ///< row of the chunk at which the group of this row starts
};

template <class T>
void place_slices(const PackedView<T>& v, std::vector<RowPlaces>& rows) {
  std::uint32_t at = 0;
  constexpr std::uint32_t lanes = PackedMatrix<T>::slice_rows;
  for (std::uint32_t s = 0; s < v.chunk.groups; ++s) {
    for (std::uint32_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t stored = s * lanes + lane;
      const std::uint32_t r = v.chunk.permuted ? v.row[stored] : stored;
      if (r >= static_cast<std::uint32_t>(v.chunk.rows)) continue;
      // A row ends where its padding begins: padding repeats a column, which no row does.
      std::uint32_t length = v.width[s];
      const auto column = [&](std::uint32_t k) { return column_at(v, at + k * lanes + lane); };
      while (length > 1 && column(length - 1) == column(length - 2)) --length;
      rows[r] = {length, at + lane, lanes, at + lane, lanes, 0, 0};
    }
    at += v.width[s] * lanes;
  }
}

template <class T>
std::vector<RowPlaces> find_rows(const PackedView<T>& v) {
  std::vector<RowPlaces> rows(static_cast<std::size_t>(v.chunk.rows));
  std::uint32_t r = 0, column = 0, value = 0;
  switch (v.chunk.form) {
  case StorageForm::csr:
    for (; r < rows.size(); ++r)
      rows[r] = {v.row_begin[r + 1] - v.row_begin[r], v.row_begin[r], 1, v.row_begin[r], 1};
    break;
  case StorageForm::sell:
    place_slices(v, rows);
    break;
  case StorageForm::block:
    for (std::uint32_t g = 0; g < v.chunk.groups; ++g) {
      const std::uint32_t in_group = v.group_rows[g], width = v.width[g];
      for (std::uint32_t i = 0; i < in_group; ++i, ++r) rows[r] = {width, column, 1, value + i, in_group};
      column += width;
      value += width * in_group;
    }
    break;
  case StorageForm::stencil:
    for (std::uint32_t i = 0; i < v.chunk.groups; ++i) {
      const StencilPattern& pattern = v.pattern[v.run[i].pattern];
      r = v.run[i].first;
      for (std::uint32_t g = 0; g < v.run[i].count; ++g)
        for (std::uint32_t j = 0; j < pattern.rows; ++j, ++r)
          rows[r] = {pattern.columns,  pattern.column_begin,          1, pattern.value_begin + j, pattern.rows,
                     v.run[i].pattern, static_cast<LocalIndex>(r - j)};
    }
    break;
  }
  return rows;
}

} // namespace

template <class T>
void PackedMatrix<T>::unpack(std::size_t c, ChunkRows<T>& out) const {
  const PackedView<T> v = view(c);
  const bool stencil = v.chunk.form == StorageForm::stencil;
  out.clear();
  for (const RowPlaces& row : find_rows(v)) {
    for (std::uint32_t k = 0; k < row.length; ++k) {
      const std::uint32_t column = row.column + k * row.column_step, value = row.value + k * row.value_step;
      out.column.push_back(stencil ? v.chunk.first + row.group_first + v.offset[column] : column_at(v, column));
      out.value.push_back(stencil ? v.pattern_value[value] : value_at(v, value));
    }
    out.begin.push_back(std::ssize(out.column));
  }
}

template <class T>
void PackedMatrix<T>::places(std::size_t c, std::vector<Offset>& places) const {
  ensure(updatable_, "places() needs an updatable matrix");
  const PackedView<T> v = view(c);
  const Offset begin = (chunks_[c].data + PackedLayout(v.chunk, sizeof(T)).values) / Offset{sizeof(T)};
  places.clear();
  for (const RowPlaces& row : find_rows(v))
    for (std::uint32_t k = 0; k < row.length; ++k) places.push_back(begin + row.value + k * row.value_step);
}

template <class T>
std::span<T> PackedMatrix<T>::values() {
  ensure(updatable_, "values() needs an updatable matrix");
  const std::span<std::byte> bytes = data_.host();
  return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <class T>
std::size_t PackedMatrix<T>::bytes() const {
  return data_.bytes() + chunks_.size() * sizeof(PackedChunk) + pattern_.size() * sizeof(StencilPattern) +
         pattern_offset_.size() * sizeof(LocalIndex) + (pattern_value_.size() + palette_.size()) * sizeof(T);
}

template <class T>
Offset PackedMatrix<T>::entries_in(StorageForm form) const {
  Offset sum = 0;
  for (const PackedChunk& chunk : chunks_)
    if (chunk.form == form) sum += chunk.entries;
  return sum;
}

template class PackedMatrix<float>;
template class PackedMatrix<double>;

} // namespace atl
