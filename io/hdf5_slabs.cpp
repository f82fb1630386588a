#include <atoll/io/hdf5_slabs.hpp>
#include <atoll/io/safe_file.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <sys/statvfs.h>
#include <unistd.h>

namespace atl::hdf5 {
namespace {

// Runs work unless a failure is known already; keeps the first failure. For loops of collective calls, which
// a rank must not leave alone.
template <class Work>
void attempt(std::optional<Error>& failure, const Work& work) {
  if (failure) return;
  try {
    work();
  } catch (...) {
    failure = describe_current_exception();
  }
}

// Asks the file system for the space that the file will need; HDF5 truncates it again when it creates the file.
void reserve(const std::string& path, std::int64_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  int error = file < 0 ? errno : 0;
  if (!error && ::fallocate(file, 0, 0, bytes) != 0) error = errno;
  if (error == EOPNOTSUPP || error == ENOSYS) {
    struct statvfs room {};
    const bool known = ::fstatvfs(file, &room) == 0 && room.f_blocks > 0;
    const auto blocks = static_cast<std::uint64_t>(bytes) / std::max<std::uint64_t>(1, room.f_frsize);
    error = known && room.f_bavail < blocks ? ENOSPC : 0;
  }
  if (file >= 0) ::close(file);
  if (error)
    throw Error(ErrorKind::environment,
                fmt::format("cannot write a store of {} bytes here: {}; free some space or choose another disk",
                            bytes, std::strerror(error)),
                path);
}

} // namespace

std::int64_t rows_per_round(const Dataset& dataset) {
  return std::max<std::int64_t>(1, round_elements / std::max<std::int64_t>(1, dataset.columns));
}

SlabWriter::SlabWriter(CommunicatorPtr comm, const std::string& path, std::int64_t bytes)
    : comm_(std::move(comm)), path_(path) {
  constexpr std::int64_t structure = 1 << 16; // HDF5's own
  agree(*comm_, [&] {
    if (comm_->rank() == 0) reserve(path, bytes + structure);
  });
  agree(*comm_, [&] { file_ = std::make_unique<Writer>(*comm_, path); });
}

void SlabWriter::define(const std::function<void(Writer&)>& work) {
  agree(*comm_, [&] { work(*file_); });
}

Dataset SlabWriter::make(Writer& file, const std::string& path, Type type, std::int64_t rows, bool matrix,
                         std::int64_t columns, bool compress) {
  Dataset set = file.make_dataset(path, type, rows, matrix, columns, compress);
  if (set.bytes > 0) plain_.push_back({set.position, set.bytes});
  return set;
}

template <class S>
void SlabWriter::write(const Dataset& set, std::int64_t first, std::int64_t count, const Fill<S>& fill) {
  // Rounds end at multiples of their length, so at the borders of chunks.
  const std::int64_t length = rows_per_round(set), base = first / length * length;
  const std::int64_t mine = count ? (first + count - base + length - 1) / length : 0;
  const std::int64_t rounds = set.rows <= length ? 1 : comm_->all_reduce(mine, ReduceOp::max);
  std::vector<S> buffer;
  std::uint64_t sum = 0;
  attempt(failure_, [&] { buffer.resize(static_cast<std::size_t>(std::min(length, count) * set.columns)); });
  for (std::int64_t r = 0; r < rounds; ++r) {
    const std::int64_t begin = std::clamp(base + r * length, first, first + count);
    const std::int64_t end = std::clamp(base + (r + 1) * length, first, first + count);
    const std::int64_t elements = (end - begin) * set.columns;
    attempt(failure_, [&] {
      fill((begin - first) * set.columns, elements, buffer.data());
      sum += checksum(std::span<const S>(buffer.data(), static_cast<std::size_t>(elements)),
                      static_cast<std::uint64_t>(begin * set.columns));
    });
    const std::int64_t rows = failure_ ? 0 : end - begin;
    try {
      file_->write(set, begin, rows, buffer.data());
    } catch (...) {
      if (!failure_) failure_ = describe_current_exception();
    }
  }
  written_.push_back(set.path);
  sums_.push_back(sum);
}

template <class S>
void SlabWriter::write(const Dataset& set, std::int64_t first, std::span<const S> values) {
  write<S>(set, first, std::ssize(values) / std::max<std::int64_t>(1, set.columns),
           [&](std::int64_t i, std::int64_t n, S* out) { std::copy_n(values.begin() + i, n, out); });
}

void SlabWriter::finish() {
  agree(*comm_, failure_);
  sum_over_ranks(*comm_, sums_);
  define([&](Writer& file) {
    for (std::size_t d = 0; d < written_.size(); ++d) file.set_attribute(written_[d], "checksum", sums_[d]);
  });
  agree(*comm_, [&] { file_->close(); });
  write_seal(*comm_, path_, plain_);
}

void SlabWriter::abandon() noexcept {
  try {
    if (file_) file_->close();
  } catch (...) {
  }
}

void write_file(const CommunicatorPtr& comm, const std::string& path, std::int64_t bytes,
                const std::function<void(SlabWriter&)>& content) {
  SafeFile safe(*comm, path);
  std::optional<SlabWriter> file;
  try {
    file.emplace(comm, safe.temporary(), bytes);
    content(*file);
    file->finish();
  } catch (const Error& error) { // the same on all ranks
    if (file) file->abandon();
    throw Error(error.kind(), error.what(), error.where() == safe.temporary() ? path : error.where());
  }
  safe.commit(*comm);
}

namespace {

template <class To, class Stored>
To convert(const Reader& file, const Dataset& set, Stored value) {
  if constexpr (std::is_same_v<To, float> && std::is_same_v<Stored, double>)
    if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<float>::max()))
      throw Error(ErrorKind::limit,
                  fmt::format("{} holds {}, too large for a 32-bit real: load it as double", set.path, value),
                  file.path());
  return static_cast<To>(value);
}

template <class To, class Stored>
std::uint64_t read_as(const Reader& file, const Dataset& set, std::int64_t first, std::int64_t count,
                      std::int64_t checked, std::vector<To>& values, std::int64_t* vanished) {
  const std::int64_t length = rows_per_round(set);
  values.resize(static_cast<std::size_t>(count * set.columns));
  std::vector<Stored> buffer(static_cast<std::size_t>(std::min(length, count) * set.columns));
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < count; i += length) {
    const std::int64_t rows = std::min(length, count - i);
    const std::span<const Stored> part(buffer.data(), static_cast<std::size_t>(rows * set.columns));
    file.read(set, first + i, rows, buffer.data());
    const std::int64_t counted = std::clamp<std::int64_t>(checked - i, 0, rows) * set.columns;
    sum += checksum(part.first(static_cast<std::size_t>(counted)),
                    static_cast<std::uint64_t>((first + i) * set.columns));
    std::transform(part.begin(), part.end(), values.begin() + i * set.columns,
                   [&](Stored value) { return convert<To>(file, set, value); });
    if constexpr (std::is_same_v<To, float> && std::is_same_v<Stored, double>)
      if (vanished)
        *vanished += std::count_if(part.begin(), part.begin() + rows * set.columns,
                                   [](double value) { return value != 0 && static_cast<float>(value) == 0; });
  }
  return sum;
}

} // namespace

template <class To>
std::uint64_t read_slab(const Reader& file, const Dataset& set, std::int64_t first, std::int64_t count,
                        std::int64_t checked, std::vector<To>& values, std::int64_t* vanished) {
  switch (set.type) {
  case Type::int32:
    return read_as<To, std::int32_t>(file, set, first, count, checked, values, vanished);
  case Type::int64:
    return read_as<To, std::int64_t>(file, set, first, count, checked, values, vanished);
  case Type::float32:
    return read_as<To, float>(file, set, first, count, checked, values, vanished);
  case Type::float64:
    return read_as<To, double>(file, set, first, count, checked, values, vanished);
  case Type::uint64:
    break;
  }
  throw Error(ErrorKind::internal, "an array of unsigned integers: a store has none", set.path);
}

void verify_whole(const Reader& file, const Dataset& set, std::uint64_t sum) {
  const std::uint64_t expected = file.checksum_attribute(set.path);
  if (sum != expected)
    throw Error(ErrorKind::bad_input,
                fmt::format("the dataset {} is altered: its checksum is {:016x}, {:016x} was stored with it; copy "
                            "or write the store again",
                            set.path, sum, expected),
                file.path());
}

void verify(Communicator& comm, const Reader& file, std::span<const Dataset> datasets,
            std::vector<std::uint64_t> shares) {
  sum_over_ranks(comm, shares);
  agree(comm, [&] {
    for (std::size_t d = 0; d < datasets.size(); ++d) verify_whole(file, datasets[d], shares[d]);
  });
}

void verify(Communicator& comm, const Reader& file, const Dataset& set, std::uint64_t share) {
  verify(comm, file, std::span<const Dataset>(&set, 1), {share});
}

template <class S>
using Values = std::span<const S>;
template void SlabWriter::write<float>(const Dataset&, std::int64_t, std::int64_t, const Fill<float>&);
template void SlabWriter::write<double>(const Dataset&, std::int64_t, std::int64_t, const Fill<double>&);
template void SlabWriter::write<std::int32_t>(const Dataset&, std::int64_t, std::int64_t, const Fill<std::int32_t>&);
template void SlabWriter::write<std::int64_t>(const Dataset&, std::int64_t, std::int64_t, const Fill<std::int64_t>&);
template void SlabWriter::write<float>(const Dataset&, std::int64_t, Values<float>);
template void SlabWriter::write<double>(const Dataset&, std::int64_t, Values<double>);
template void SlabWriter::write<std::int64_t>(const Dataset&, std::int64_t, Values<std::int64_t>);

template std::uint64_t read_slab<float>(const Reader&, const Dataset&, std::int64_t, std::int64_t, std::int64_t,
                                        std::vector<float>&, std::int64_t*);
template std::uint64_t read_slab<double>(const Reader&, const Dataset&, std::int64_t, std::int64_t, std::int64_t,
                                         std::vector<double>&, std::int64_t*);
template std::uint64_t read_slab<std::int64_t>(const Reader&, const Dataset&, std::int64_t, std::int64_t,
                                               std::int64_t, std::vector<std::int64_t>&, std::int64_t*);

} // namespace atl::hdf5
