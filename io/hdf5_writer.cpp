#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/io/hdf5_call.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <sys/stat.h>

namespace atl::hdf5 {
namespace {

[[noreturn]] void fail(const std::string& path, const std::string& action) {
  throw Error(ErrorKind::environment, fmt::format("cannot {}: HDF5 says: {}", action, innermost_message()), path);
}

void require(bool done, const std::string& path, const std::string& action) {
  if (!done) fail(path, action);
}

// Files of equal content are equal bytes: no times are kept.
Handle creation_list(hid_t kind) {
  Handle list(H5Pcreate(kind));
  H5Pset_obj_track_times(list.id(), false);
  return list;
}

// The format of HDF5 1.10, in which every piece of metadata carries a checksum of its own.
Handle access_list(MPI_Comm comm) {
  Handle list(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_libver_bounds(list.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  H5Pset_fclose_degree(list.id(), H5F_CLOSE_STRONG);
  if (comm != MPI_COMM_NULL) {
    H5Pset_fapl_mpio(list.id(), comm, MPI_INFO_NULL);
    H5Pset_coll_metadata_write(list.id(), true);
    H5Pset_all_coll_metadata_ops(list.id(), true);
  }
  return list;
}

// All ranks enter each transfer together, as filters demand. Below, each writes its own slab: slabs are large
// and contiguous, two-phase buffering would only copy them, and it has hung in Open MPI's default component
// (HDFGroup/hdf5#1227, open-mpi/ompi#7809).
Handle transfer_list(bool shared) {
  Handle list(H5Pcreate(H5P_DATASET_XFER));
  if (shared) {
    H5Pset_dxpl_mpio(list.id(), H5FD_MPIO_COLLECTIVE);
    H5Pset_dxpl_mpio_collective_opt(list.id(), H5FD_MPIO_INDIVIDUAL_IO);
  }
  return list;
}

// About a thousand chunks, of 16 Ki to 1 Mi elements: few enough for the index, many enough for the ranks.
hsize_t chunk_rows(std::int64_t rows, std::int64_t columns) {
  const std::uint64_t elements = std::clamp<std::uint64_t>(
      std::bit_ceil(static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns) / 1024 + 1), 1 << 14,
      1 << 20);
  const auto fit = std::max<std::int64_t>(1, static_cast<std::int64_t>(elements) / columns);
  return static_cast<hsize_t>(std::min(fit, rows));
}

// Space is reserved at once and never filled with zeros, since every element is written.
Handle dataset_list(std::int64_t rows, std::int64_t columns, bool matrix, bool compress) {
  Handle list = creation_list(H5P_DATASET_CREATE);
  H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_EARLY);
  H5Pset_fill_time(list.id(), H5D_FILL_TIME_NEVER);
  if (compress && rows > 0 && columns > 0) {
    const hsize_t chunk[2] = {chunk_rows(rows, columns), static_cast<hsize_t>(columns)};
    H5Pset_chunk(list.id(), matrix ? 2 : 1, chunk);
    H5Pset_shuffle(list.id());
    H5Pset_deflate(list.id(), 4);
  }
  return list;
}

} // namespace

Writer::Writer(Communicator& comm, const std::string& path) : path_(path), shared_(comm.size() > 1) {
  const MPI_Comm native = shared_ ? native_handle(comm) : MPI_COMM_NULL;
  if (shared_ && native == MPI_COMM_NULL)
    throw Error(ErrorKind::environment,
                fmt::format("a store cannot be written by {} ranks of a '{}' communicator: HDF5 needs MPI",
                            comm.size(), comm.name()),
                path);
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode))
    throw Error(ErrorKind::environment, "cannot write a store here: this is not a regular file", path);

  const Call call;
  const Handle access = access_list(native), creation = creation_list(H5P_FILE_CREATE);
  file_ = Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.id(), access.id()));
  require(file_.id() >= 0, path_, "create the file");
}

Writer::~Writer() {
  if (shared_) file_.release();
}

void Writer::make_group(const std::string& path) {
  const Call call;
  const Handle creation = creation_list(H5P_GROUP_CREATE);
  const Handle group(H5Gcreate2(file_.id(), path.c_str(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
  require(group.id() >= 0, path_, "create the group " + path);
}

Dataset Writer::make_dataset(const std::string& path, Type type, std::int64_t rows, bool matrix, std::int64_t columns,
                             bool compress) {
  const Call call;
  const hsize_t size[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  const Handle space(H5Screate_simple(matrix ? 2 : 1, size, nullptr));
  const Handle creation = dataset_list(rows, columns, matrix, compress);
  Dataset set;
  set.handle = Handle(
      H5Dcreate2(file_.id(), path.c_str(), file_type(type), space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT));
  require(set.handle.id() >= 0, path_, "create the dataset " + path);
  set.transfer = transfer_list(shared_);
  set.path = path;
  set.type = type;
  set.matrix = matrix;
  set.rows = rows;
  set.columns = columns;
  const haddr_t position = compress ? HADDR_UNDEF : H5Dget_offset(set.handle.id());
  if (position != HADDR_UNDEF) {
    set.position = static_cast<std::int64_t>(position);
    set.bytes = rows * columns * static_cast<std::int64_t>(bytes_of(type));
  }
  return set;
}

void Writer::write(const Dataset& dataset, std::int64_t first, std::int64_t count, const void* values) {
  if (dataset.rows == 0 || dataset.columns == 0) return;
  const Call call;
  const Slab slab(dataset, first, count);
  require(slab.ok(), path_, "select a slab of " + dataset.path);
  const std::int64_t nothing = 0; // HDF5 wants an address even for no values
  require(H5Dwrite(dataset.handle.id(), memory_type(dataset.type), slab.memory.id(), slab.file.id(),
                   dataset.transfer.id(), count > 0 ? values : &nothing) >= 0,
          path_, "write " + dataset.path);
}

namespace {

void write_attribute(hid_t file, const std::string& path, const std::string& object, const std::string& name,
                     hid_t stored, hid_t memory, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR));
  const Handle attribute(H5Acreate_by_name(file, object.c_str(), name.c_str(), stored, space.id(), H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT));
  require(attribute.id() >= 0 && H5Awrite(attribute.id(), memory, value) >= 0, path,
          fmt::format("write the attribute {} of {}", name, object));
}

} // namespace

void Writer::set_attribute(const std::string& object, const std::string& name, std::int64_t value) {
  const Call call;
  write_attribute(file_.id(), path_, object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, &value);
}

void Writer::set_attribute(const std::string& object, const std::string& name, std::uint64_t value) {
  const Call call;
  write_attribute(file_.id(), path_, object, name, H5T_STD_U64LE, H5T_NATIVE_UINT64, &value);
}

void Writer::set_attribute(const std::string& object, const std::string& name, const std::string& text) {
  const Call call;
  const Handle type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const char* start = text.c_str();
  write_attribute(file_.id(), path_, object, name, type.id(), type.id(), &start);
}

void Writer::close() {
  if (file_.id() < 0) return;
  const Call call;
  const bool flushed = H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) >= 0;
  const std::string why = flushed ? "" : innermost_message();
  const bool closed = H5Fclose(file_.release()) >= 0;
  if (!flushed) throw Error(ErrorKind::environment, fmt::format("cannot write the file: HDF5 says: {}", why), path_);
  require(closed, path_, "close the file");
}

} // namespace atl::hdf5
