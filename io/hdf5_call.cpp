#include <atoll/io/hdf5_call.hpp>

namespace atl::hdf5 {
namespace {

std::recursive_mutex& process_lock() {
  static std::recursive_mutex lock;
  return lock;
}

} // namespace

Call::Call() : lock_(process_lock()) {
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  H5Eclear2(H5E_DEFAULT);
}

Call::~Call() { H5Eset_auto2(H5E_DEFAULT, print_, print_data_); }

std::string innermost_message() {
  std::string text;
  const auto first = [](unsigned, const H5E_error2_t* entry, void* out) -> herr_t {
    auto& message = *static_cast<std::string*>(out);
    if (message.empty() && entry->desc) message = entry->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &text);
  for (char& c : text)
    if (c < ' ' || c > '~') c = ' ';
  return text.empty() ? "no further message" : text;
}

hid_t file_type(Type type) {
  switch (type) {
  case Type::int32:
    return H5T_STD_I32LE;
  case Type::int64:
    return H5T_STD_I64LE;
  case Type::uint64:
    return H5T_STD_U64LE;
  case Type::float32:
    return H5T_IEEE_F32LE;
  case Type::float64:
    return H5T_IEEE_F64LE;
  }
  return -1;
}

hid_t memory_type(Type type) {
  switch (type) {
  case Type::int32:
    return H5T_NATIVE_INT32;
  case Type::int64:
    return H5T_NATIVE_INT64;
  case Type::uint64:
    return H5T_NATIVE_UINT64;
  case Type::float32:
    return H5T_NATIVE_FLOAT;
  case Type::float64:
    return H5T_NATIVE_DOUBLE;
  }
  return -1;
}

std::size_t bytes_of(Type type) { return type == Type::int32 || type == Type::float32 ? 4 : 8; }

const char* to_string(Type type) {
  switch (type) {
  case Type::int32:
    return "32-bit integers";
  case Type::int64:
    return "64-bit integers";
  case Type::uint64:
    return "64-bit unsigned integers";
  case Type::float32:
    return "32-bit reals";
  case Type::float64:
    return "64-bit reals";
  }
  return "unknown";
}

Handle::~Handle() {
  if (id_ < 0) return;
  const Call call;
  switch (H5Iget_type(id_)) {
  case H5I_FILE:
    H5Fclose(id_);
    break;
  case H5I_GENPROP_LST:
    H5Pclose(id_);
    break;
  case H5I_DATASPACE:
    H5Sclose(id_);
    break;
  case H5I_DATATYPE:
    H5Tclose(id_);
    break;
  case H5I_DATASET:
    H5Dclose(id_);
    break;
  case H5I_ATTR:
    H5Aclose(id_);
    break;
  case H5I_GROUP:
    H5Gclose(id_);
    break;
  default:
    break;
  }
}

Slab::Slab(const Dataset& dataset, std::int64_t first, std::int64_t count) : file(H5Dget_space(dataset.handle.id())) {
  const hsize_t start[2] = {static_cast<hsize_t>(first), 0};
  const hsize_t size[2] = {static_cast<hsize_t>(count), static_cast<hsize_t>(dataset.columns)};
  memory = Handle(H5Screate_simple(dataset.matrix ? 2 : 1, size, nullptr));
  if (count == 0) {
    H5Sselect_none(file.id());
    H5Sselect_none(memory.id());
  } else if (H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start, nullptr, size, nullptr) < 0) {
    file = Handle();
  }
}

} // namespace atl::hdf5
