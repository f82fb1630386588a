#include <atoll/io/hdf5_call.hpp>
#include <atoll/io/hdf5_slabs.hpp>
#include <atoll/io/store.hpp>

#include <fmt/format.h>

namespace atl {

StoreContents store_contents(const Context& context, const std::string& path) {
  Communicator& comm = *context.comm;
  const hdf5::Seal seal = hdf5::check_seal(comm, path);
  std::int64_t has[2] = {0, 0};
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    const hdf5::Reader file(path, seal == hdf5::Seal::intact);
    has[0] = file.has("/matrix");
    has[1] = file.has("/vector");
  });
  comm.all_reduce(std::span<std::int64_t>(has), ReduceOp::max);
  return {has[0] != 0, has[1] != 0};
}

std::vector<GlobalIndex> read_row_ranges(const Context& context, const std::string& path) {
  Communicator& comm = *context.comm;
  const hdf5::Seal seal = hdf5::check_seal(comm, path);
  std::vector<GlobalIndex> ranges;
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    const hdf5::Reader file(path, seal == hdf5::Seal::intact);
    const hdf5::Dataset set = file.open("/matrix/row_ranges", {hdf5::Type::int64});
    hdf5::verify_whole(file, set, hdf5::read_slab(file, set, 0, set.rows, set.rows, ranges));
  });
  hdf5::require_seal(comm, path, seal);
  ranges.resize(static_cast<std::size_t>(comm.all_reduce(std::int64_t{std::ssize(ranges)}, ReduceOp::max)));
  comm.broadcast(std::as_writable_bytes(std::span(ranges)), 0);
  return ranges;
}

StoreLibrary store_library() {
  const hdf5::Call call;
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
#ifdef H5_HAVE_PARALLEL
  constexpr bool parallel = true;
#else
  constexpr bool parallel = false;
#endif
  return {fmt::format("{}.{}.{}", major, minor, release), parallel};
}

} // namespace atl
