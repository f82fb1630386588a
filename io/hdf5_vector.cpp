#include <atoll/comm/block_range.hpp>
#include <atoll/core/version.hpp>
#include <atoll/io/hdf5_slabs.hpp>
#include <atoll/io/store.hpp>
#include <atoll/io/underflow.hpp>

#include <fmt/format.h>

namespace atl {
namespace {

using hdf5::Dataset;
using hdf5::Reader;
using hdf5::SlabWriter;
using hdf5::Type;
using hdf5::Writer;

} // namespace

template <class T>
void write_dense_store(const Context& context, const std::string& path, GlobalIndex rows, LocalIndex cols,
                       std::span<const T> slab) {
  const BlockRange blocks{rows, context.size()};
  const GlobalIndex first = rows < 0 ? 0 : blocks.begin(context.rank());
  agree(*context.comm, [&] {
    if (rows < 0 || cols < 1 || std::ssize(slab) != blocks.size(context.rank()) * cols)
      throw Error(ErrorKind::usage,
                  fmt::format("an array of {} x {} values, and {} of them on this rank", rows, cols, slab.size()),
                  "write_dense_store");
  });

  const std::int64_t bytes = rows * cols * std::int64_t{sizeof(T)};
  hdf5::write_file(context.comm, path, bytes, [&](SlabWriter& file) {
    Dataset set;
    file.define([&](Writer& out) {
      out.set_attribute("/", "atoll_version", std::string(atoll_version()));
      out.set_attribute("/", "store_version", std::int64_t{1});
      set = file.make(out, "/vector", hdf5::type_of<T>(), rows, true, cols);
    });
    file.write<T>(set, first, slab);
  });
}

template <class T>
std::vector<T> read_dense_store(const Context& context, const std::string& path, GlobalIndex& rows,
                                LocalIndex& cols) {
  const hdf5::Seal seal = hdf5::check_seal(*context.comm, path);
  std::optional<Reader> file;
  Dataset set;
  std::vector<T> values;
  std::uint64_t sum = 0;
  std::int64_t vanished = 0;
  agree(*context.comm, [&] {
    file.emplace(path, seal == hdf5::Seal::intact);
    set = file->open("/vector", {Type::float64, Type::float32}, true);
    cols = narrow<LocalIndex>(set.columns);
    rows = set.rows;
    const BlockRange blocks{rows, context.size()};
    const GlobalIndex count = blocks.size(context.rank());
    sum = hdf5::read_slab(*file, set, blocks.begin(context.rank()), count, count, values, &vanished);
  });
  hdf5::verify(*context.comm, *file, set, sum);
  hdf5::require_seal(*context.comm, path, seal);
  note_underflow<T>(context, vanished, path);
  return values;
}

template void write_dense_store<float>(const Context&, const std::string&, GlobalIndex, LocalIndex,
                                       std::span<const float>);
template void write_dense_store<double>(const Context&, const std::string&, GlobalIndex, LocalIndex,
                                        std::span<const double>);
template std::vector<float> read_dense_store<float>(const Context&, const std::string&, GlobalIndex&, LocalIndex&);
template std::vector<double> read_dense_store<double>(const Context&, const std::string&, GlobalIndex&, LocalIndex&);

} // namespace atl
