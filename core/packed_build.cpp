#include <atoll/core/packed_patterns.hpp>
#include <atoll/core/packed_writer.hpp>

namespace atl {

/// Decides and writes the chunks of one matrix.
class PackedBuild {
 public:
  template <class T>
  static void run(PackedMatrix<T>& a, const ExecutorPtr& executor, const ChunkReader<T>& read, StorageWish wish);
};

namespace {

using packing::ChunkPlan;
using packing::ChunkWriter;
using packing::Palette;
using packing::PatternBook;

template <class T>
Offset bytes_of(const PackedChunk& chunk) {
  return PackedLayout(chunk, sizeof(T)).bytes;
}

/// A width of 65535 entries is the most that slices, groups and patterns can say.
template <class T>
bool narrow_rows(const ChunkRows<T>& rows) {
  for (LocalIndex r = 0; r < rows.rows(); ++r)
    if (rows.length(r) > 0xffff) return false;
  return true;
}

/// Which form: the fewest bytes. Slices run fastest over irregular rows, so a narrower form must save a tenth.
template <class T>
PackedChunk choose(ChunkPlan<T>& plan, const ChunkRows<T>& rows, PatternBook<T>& book,
                   const std::vector<std::uint8_t>& groups, std::vector<StencilRun>& runs, StorageWish wish,
                   bool updatable) {
  if (wish == StorageWish::csr || !narrow_rows(rows)) return plan.csr();
  const PackedChunk sell = plan.sell(), block = plan.block(groups);
  if (wish == StorageWish::block) return block;
  if (wish == StorageWish::sell) return sell;
  const Offset least = std::min(bytes_of<T>(sell), bytes_of<T>(block) * 11 / 10);
  if (!updatable) {
    runs = book.runs(rows, sell.first, groups);
    const PackedChunk stencil = plan.stencil(static_cast<std::uint32_t>(runs.size()));
    if (wish == StorageWish::stencil || bytes_of<T>(stencil) + static_cast<Offset>(book.bytes_added()) < least)
      return stencil;
    book.forget();
    runs.clear();
  }
  return least == bytes_of<T>(sell) ? sell : block;
}

} // namespace

template <class T>
void PackedBuild::run(PackedMatrix<T>& a, const ExecutorPtr& executor, const ChunkReader<T>& read, StorageWish wish) {
  ChunkRows<T> rows;
  const auto for_chunks = [&](const auto& body) {
    std::size_t c = 0;
    for (LocalIndex first = 0; first < a.rows_; first += PackedMatrix<T>::chunk_rows, ++c) {
      read(first, std::min(PackedMatrix<T>::chunk_rows, a.rows_ - first), rows);
      if (!body(c, first)) return;
    }
  };

  Palette<T> palette;
  const T zero[] = {T{0}};
  palette.add(zero); // for padding
  const bool wants_palette = !a.updatable_ && wish != StorageWish::csr;
  if (wants_palette)
    for_chunks([&](std::size_t, LocalIndex) {
      palette.add(rows.value);
      return palette.usable();
    });
  const Palette<T>* const usable = wants_palette && palette.usable() ? &palette : nullptr;

  // Decide; runs are kept, for they are few where they are chosen.
  PatternBook<T> book;
  std::vector<std::vector<StencilRun>> runs;
  Offset bytes = 0;
  bool palette_used = false;
  for_chunks([&](std::size_t, LocalIndex first) {
    ChunkPlan<T> plan(rows, first, usable, a.updatable_);
    runs.emplace_back();
    PackedChunk chunk = choose(plan, rows, book, packing::group_rows(rows), runs.back(), wish, a.updatable_);
    chunk.data = bytes;
    bytes += (bytes_of<T>(chunk) + 63) / 64 * 64;
    a.entries_ += chunk.entries;
    palette_used = palette_used || (chunk.value_width == ValueWidth::palette && chunk.form == StorageForm::sell);
    a.chunks_.push_back(chunk);
    return true;
  });

  a.data_ = Array<std::byte>(executor, bytes);
  const std::span<std::byte> data = a.data_.host();
  for_chunks([&](std::size_t c, LocalIndex first) {
    const PackedChunk& chunk = a.chunks_[c];
    ChunkWriter<T> writer(rows, chunk, palette, data.data() + chunk.data);
    switch (chunk.form) {
    case StorageForm::csr:
      writer.csr();
      break;
    case StorageForm::sell: {
      ChunkPlan<T> plan(rows, first, usable, a.updatable_);
      plan.sell();
      writer.sell(plan);
      break;
    }
    case StorageForm::stencil:
      writer.stencil(runs[c]);
      break;
    case StorageForm::block:
      writer.block(packing::group_rows(rows));
      break;
    }
    return true;
  });
  a.pattern_ = std::move(book.pattern);
  a.pattern_offset_ = std::move(book.offset);
  // Behind the last value is room for one load of 4 that starts there.
  book.value.resize(book.value.empty() ? 0 : book.value.size() + 3);
  a.pattern_value_ = std::move(book.value);
  if (palette_used) {
    a.palette_ = palette.values();
    a.few_ = palette.few();
  }
  a.pattern_.shrink_to_fit();
  a.pattern_offset_.shrink_to_fit();
  a.pattern_value_.shrink_to_fit();
}

template <class T>
PackedMatrix<T>::PackedMatrix(const ExecutorPtr& executor, LocalIndex rows, LocalIndex columns,
                              const ChunkReader<T>& read, StorageWish wish, bool updatable)
    : rows_(rows), columns_(columns), updatable_(updatable) {
  PackedBuild::run(*this, executor, read, wish);
}

template PackedMatrix<float>::PackedMatrix(const ExecutorPtr&, LocalIndex, LocalIndex, const ChunkReader<float>&,
                                           StorageWish, bool);
template PackedMatrix<double>::PackedMatrix(const ExecutorPtr&, LocalIndex, LocalIndex, const ChunkReader<double>&,
                                            StorageWish, bool);

} // namespace atl
