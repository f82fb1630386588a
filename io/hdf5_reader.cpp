#include <atoll/io/hdf5_call.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::hdf5 {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& what) {
  throw Error(ErrorKind::bad_input, what, path);
}

// Size of a file that can be read at all.
std::int64_t readable_bytes(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    refuse(path, fmt::format("cannot read the store: {}", std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) refuse(path, "this is a folder, not a store; name the file in it");
  if (!S_ISREG(status.st_mode)) refuse(path, "this is not a regular file, so no store");
  if (::access(path.c_str(), R_OK) != 0) refuse(path, fmt::format("cannot read the store: {}", std::strerror(errno)));
  if (status.st_size == 0) refuse(path, "the file is empty; a store was expected");
  return status.st_size;
}

[[noreturn]] void refuse_open(const std::string& path, std::int64_t bytes) {
  const std::string why = innermost_message();
  if (why.find("lock file") != std::string::npos)
    throw Error(ErrorKind::environment,
                fmt::format("HDF5 cannot lock the file ({}): another program is writing it, or this file "
                            "system has no locks; then set HDF5_USE_FILE_LOCKING=FALSE",
                            why),
                path);
  if (why.find("truncated file") != std::string::npos)
    refuse(path, fmt::format("the file is truncated: it has {} bytes; copy or write it again ({})", bytes, why));
  if (why.find("signature") != std::string::npos) refuse(path, "this is not an HDF5 file");
  refuse(path, fmt::format("HDF5 cannot open the file, it may be altered: {}", why));
}

// Whether a dataset of this many bytes can be behind the bytes that the file spends on it: deflate makes at
// best one byte of 1032.
bool plausible(hid_t dataset, bool chunked, std::uint64_t claimed, std::uint64_t file_bytes) {
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  if (stored > file_bytes) return false;
  return chunked ? claimed / 1100 <= stored : claimed == stored;
}

// rows * columns * bytes, or -1 when it does not fit.
std::int64_t product(std::uint64_t rows, std::uint64_t columns, std::uint64_t bytes) {
  constexpr std::uint64_t limit = std::numeric_limits<std::int64_t>::max();
  if (rows > limit || columns > limit) return -1;
  if (columns && rows > limit / columns) return -1;
  return rows * columns > limit / bytes ? -1 : static_cast<std::int64_t>(rows * columns * bytes);
}

std::string names(std::initializer_list<Type> types) {
  std::string text;
  for (const Type type : types) text += (text.empty() ? "" : " or ") + std::string(to_string(type));
  return text;
}

} // namespace

Reader::Reader(const std::string& path, bool sealed)
    : path_(path), file_bytes_(readable_bytes(path)), sealed_(sealed) {
  const Call call;
  const Handle access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fclose_degree(access.id(), H5F_CLOSE_STRONG);
  file_ = Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()));
  if (file_.id() < 0) refuse_open(path, file_bytes_);
}

bool Reader::has(const std::string& object) const {
  const Call call;
  // Every link on the way must exist before the next may be asked for.
  for (std::size_t end = object.find('/', 1);; end = object.find('/', end + 1)) {
    if (H5Lexists(file_.id(), object.substr(0, end).c_str(), H5P_DEFAULT) <= 0) return false;
    if (end == std::string::npos) break;
  }
  return H5Oexists_by_name(file_.id(), object.c_str(), H5P_DEFAULT) > 0;
}

void Reader::require_group(const std::string& path) const {
  const Call call;
  if (!has(path)) refuse(path_, fmt::format("no group {}: not a store that Atoll has written", path));
  const Handle group(H5Gopen2(file_.id(), path.c_str(), H5P_DEFAULT));
  if (group.id() < 0) refuse(path_, fmt::format("{} is not a group that can be read: {}", path, innermost_message()));
}

Dataset Reader::open(const std::string& path, std::initializer_list<Type> types, bool matrix) const {
  const Call call;
  if (!has(path)) refuse(path_, fmt::format("no dataset {}: the store is incomplete", path));
  Dataset set;
  set.path = path;
  set.matrix = matrix;
  set.transfer = Handle(H5Pcreate(H5P_DATASET_XFER));
  set.handle = Handle(H5Dopen2(file_.id(), path.c_str(), H5P_DEFAULT));
  if (set.handle.id() < 0)
    refuse(path_, fmt::format("{} is not a dataset that can be read: {}", path, innermost_message()));

  const Handle stored(H5Dget_type(set.handle.id()));
  const auto type =
      std::find_if(types.begin(), types.end(), [&](Type t) { return H5Tequal(stored.id(), file_type(t)) > 0; });
  if (type == types.end())
    refuse(path_, fmt::format("{} holds values of another type than {}, little-endian", path, names(types)));
  set.type = *type;

  const Handle space(H5Dget_space(set.handle.id()));
  const int dimensions = H5Sget_simple_extent_ndims(space.id());
  if (H5Sget_simple_extent_type(space.id()) != H5S_SIMPLE || dimensions != (matrix ? 2 : 1))
    refuse(path_, fmt::format("{} has {} dimensions; {} expected", path, dimensions, matrix ? 2 : 1));
  hsize_t size[2] = {0, 1};
  H5Sget_simple_extent_dims(space.id(), size, nullptr);

  const Handle creation(H5Dget_create_plist(set.handle.id()));
  const H5D_layout_t layout = H5Pget_layout(creation.id());
  if ((layout != H5D_CONTIGUOUS && layout != H5D_CHUNKED) || H5Pget_external_count(creation.id()) > 0)
    refuse(path_, fmt::format("{} is neither contiguous nor chunked data of this file", path));
  const std::int64_t bytes = product(size[0], size[1], bytes_of(set.type));
  if (bytes < 0 || !plausible(set.handle.id(), layout == H5D_CHUNKED, static_cast<std::uint64_t>(bytes),
                              static_cast<std::uint64_t>(file_bytes_)))
    refuse(path_, fmt::format("{} claims {} x {} values, which a file of {} bytes cannot hold", path, size[0],
                              size[1], file_bytes_));
  set.rows = static_cast<std::int64_t>(size[0]);
  set.columns = static_cast<std::int64_t>(size[1]);
  return set;
}

void Reader::read(const Dataset& dataset, std::int64_t first, std::int64_t count, void* values) const {
  if (count == 0 || dataset.columns == 0) return;
  const Call call;
  const Slab slab(dataset, first, count);
  if (!slab.ok() || H5Dread(dataset.handle.id(), memory_type(dataset.type), slab.memory.id(), slab.file.id(),
                            dataset.transfer.id(), values) < 0)
    refuse(path_, fmt::format("cannot read {}, the file may be altered: {}", dataset.path, innermost_message()));
}

namespace {

Handle open_attribute(hid_t file, const std::string& path, const std::string& object, const std::string& name,
                      H5T_class_t kind) {
  const bool there = H5Aexists_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT) > 0;
  if (!there) refuse(path, fmt::format("{} has no attribute '{}': not a store that Atoll has written", object, name));
  Handle attribute(H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
  const Handle type(H5Aget_type(attribute.id())), space(H5Aget_space(attribute.id()));
  if (H5Tget_class(type.id()) != kind || H5Sget_simple_extent_type(space.id()) != H5S_SCALAR)
    refuse(path, fmt::format("the attribute '{}' of {} has an unexpected type", name, object));
  return attribute;
}

template <class T>
T read_integer(hid_t file, const std::string& path, const std::string& object, const std::string& name, Type type) {
  const Handle attribute = open_attribute(file, path, object, name, H5T_INTEGER);
  T value{};
  if (H5Aread(attribute.id(), memory_type(type), &value) < 0)
    refuse(path, fmt::format("cannot read the attribute '{}' of {}: {}", name, object, innermost_message()));
  return value;
}

} // namespace

std::uint64_t Reader::checksum_attribute(const std::string& object) const {
  const Call call;
  return read_integer<std::uint64_t>(file_.id(), path_, object, "checksum", Type::uint64);
}

std::int64_t Reader::integer_attribute(const std::string& object, const std::string& name) const {
  const Call call;
  return read_integer<std::int64_t>(file_.id(), path_, object, name, Type::int64);
}

std::optional<std::string> Reader::text_attribute(const std::string& object, const std::string& name) const {
  const Call call;
  const Handle attribute = open_attribute(file_.id(), path_, object, name, H5T_STRING);
  const Handle stored(H5Aget_type(attribute.id()));
  const Handle memory(H5Tcopy(stored.id()));
  std::string text;
  bool done = false;
  if (H5Tis_variable_str(stored.id()) > 0) {
    if (!sealed_) return std::nullopt;
    char* start = nullptr;
    done = H5Aread(attribute.id(), memory.id(), &start) >= 0;
    if (done && start) text = start;
    H5free_memory(start);
  } else if (const std::size_t size = H5Tget_size(stored.id()); size < 65536) {
    text.resize(size);
    done = H5Aread(attribute.id(), memory.id(), text.data()) >= 0;
    text = text.c_str();
  }
  if (!done)
    refuse(path_, fmt::format("cannot read the attribute '{}' of {}: {}", name, object, innermost_message()));
  return text;
}

std::vector<std::string> Reader::members(const std::string& group) const {
  const Call call;
  std::vector<std::string> all;
  H5G_info_t info{};
  if (H5Gget_info_by_name(file_.id(), group.c_str(), &info, H5P_DEFAULT) < 0)
    refuse(path_, fmt::format("cannot list {}: {}", group, innermost_message()));
  for (hsize_t i = 0; i < std::min<hsize_t>(info.nlinks, 1000); ++i) {
    char name[256] = "";
    const ssize_t length =
        H5Lget_name_by_idx(file_.id(), group.c_str(), H5_INDEX_NAME, H5_ITER_INC, i, name, sizeof name, H5P_DEFAULT);
    if (length <= 0 || length >= static_cast<ssize_t>(sizeof name))
      refuse(path_, fmt::format("cannot list {}: {}", group, innermost_message()));
    all.emplace_back(name);
  }
  return all;
}

} // namespace atl::hdf5
