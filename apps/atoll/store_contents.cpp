#include "store_contents.hpp"

#include <atoll/comm/agree.hpp>

#include <hdf5.h>

namespace atl::app {

namespace {

/// An HDF5 identifier that is closed by its own function.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {
    if (id < 0) throw Error(ErrorKind::bad_input, "/matrix/row_ranges cannot be read");
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { close_(id_); }
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

std::vector<GlobalIndex> read_ranges(const std::string& path) {
  const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  const Handle dataset(H5Dopen2(file, "/matrix/row_ranges", H5P_DEFAULT), H5Dclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  std::vector<GlobalIndex> ranges(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  if (H5Dread(dataset, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, ranges.data()) < 0)
    throw Error(ErrorKind::bad_input, "/matrix/row_ranges cannot be read", path);
  return ranges;
}

/// The calls here fail quietly: HDF5 would print its own stack.
bool has_vector_alone(const std::string& path) {
  htri_t matrix = -1, vector = -1;
  H5E_BEGIN_TRY {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file >= 0) {
      matrix = H5Lexists(file, "/matrix", H5P_DEFAULT);
      vector = H5Lexists(file, "/vector", H5P_DEFAULT);
      H5Fclose(file);
    }
  }
  H5E_END_TRY
  return matrix == 0 && vector > 0;
}

} // namespace

bool holds_only_a_vector(const Context& context, const std::string& path) {
  const std::int64_t mine = context.rank() == 0 && has_vector_alone(path);
  return context.comm->all_reduce(mine, ReduceOp::max) != 0;
}

std::vector<GlobalIndex> stored_row_ranges(const Context& context, const std::string& path) {
  std::vector<GlobalIndex> ranges;
  agree(*context.comm, [&] {
    if (context.rank() == 0) ranges = read_ranges(path);
  });
  const auto count = context.comm->all_reduce(static_cast<std::int64_t>(ranges.size()), ReduceOp::max);
  ranges.resize(static_cast<std::size_t>(count));
  context.comm->broadcast(std::as_writable_bytes(std::span(ranges)), 0);
  return ranges;
}

} // namespace atl::app
