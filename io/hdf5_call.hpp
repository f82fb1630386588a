#pragma once
/// Inside io/hdf5_*.cpp alone: what surrounds each call of HDF5.

#include <atoll/io/hdf5_file.hpp>

#include <hdf5.h>

#include <mutex>

namespace atl::hdf5 {

/// While it lives this thread has HDF5 for itself, HDF5 prints nothing, and its error stack starts empty.
class Call {
 public:
  Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  ~Call();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// The innermost message of HDF5's error stack, one printable line.
std::string innermost_message();

/// The file type (little-endian) and the memory type of an element.
hid_t file_type(Type type);
hid_t memory_type(Type type);

/// The slab of rows [first, first + count) of a dataset: selection in the file, and its like in memory.
struct Slab {
  Handle file, memory;
  Slab(const Dataset& dataset, std::int64_t first, std::int64_t count);
  bool ok() const { return file.id() >= 0 && memory.id() >= 0; }
};

} // namespace atl::hdf5
