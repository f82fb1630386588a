#include <atoll/comm/row_reader.hpp>

#include <algorithm>

namespace atl {

namespace {

template <class T>
const CsrMatrix<T>& plain_part(const DSparseMatrix<T>& a) {
  return a.packed() ? a.split().halo : a.local();
}

} // namespace

template <class T>
RowReader<T>::RowReader(const DSparseMatrix<T>& a)
    : a_(a), begin_(plain_part(a).row_begin), column_(plain_part(a).column), row_index_(plain_part(a).row_index),
      value_(plain_part(a).value) {}

template <class T>
LocalIndex RowReader<T>::n_chunks() const {
  constexpr LocalIndex chunk = PackedMatrix<T>::chunk_rows;
  return (a_.row_map()->n_owned() + chunk - 1) / chunk;
}

template <class T>
const ChunkRows<T>& RowReader<T>::read(LocalIndex chunk) {
  rows_.clear();
  if (a_.packed())
    read_split(chunk);
  else
    read_plain(chunk);
  return rows_;
}

template <class T>
void RowReader<T>::read_split(LocalIndex chunk) {
  const SplitMatrix<T>& split = a_.split();
  split.owned.unpack(static_cast<std::size_t>(chunk), owned_);
  LocalIndex h = split.halo_begin[chunk];
  for (LocalIndex r = 0; r < owned_.rows(); ++r) {
    for (Offset e = owned_.begin[r]; e < owned_.begin[r + 1]; ++e) {
      rows_.column.push_back(owned_.column[e]);
      rows_.value.push_back(owned_.value[e]);
    }
    if (h < split.halo_begin[chunk + 1] && row_index_[h] == first(chunk) + r) {
      for (Offset e = begin_[h]; e < begin_[h + 1]; ++e) {
        rows_.column.push_back(column_[e]);
        rows_.value.push_back(value_[e]);
      }
      ++h;
    }
    rows_.begin.push_back(std::ssize(rows_.column));
  }
}

/// Storage rows are interior rows, then boundary rows, both in local order.
template <class T>
void RowReader<T>::read_plain(LocalIndex chunk) {
  const LocalIndex last = std::min(first(chunk) + PackedMatrix<T>::chunk_rows, a_.row_map()->n_owned());
  const auto begin = row_index_.empty() ? nullptr : &row_index_[0];
  const auto storage_row = [&](LocalIndex r) {
    if (!begin) return r;
    const auto interior = std::lower_bound(begin, begin + a_.n_interior(), r);
    if (interior != begin + a_.n_interior() && *interior == r) return static_cast<LocalIndex>(interior - begin);
    return static_cast<LocalIndex>(std::lower_bound(begin + a_.n_interior(), begin + row_index_.span().size(), r) -
                                   begin);
  };
  for (LocalIndex r = first(chunk); r < last; ++r) {
    const LocalIndex s = storage_row(r);
    for (Offset e = begin_[s]; e < begin_[s + 1]; ++e) {
      rows_.column.push_back(column_[e]);
      rows_.value.push_back(value_[e]);
    }
    rows_.begin.push_back(std::ssize(rows_.column));
  }
}

template class RowReader<float>;
template class RowReader<double>;

} // namespace atl
