#pragma once
/// The few calls of HDF5 that the store needs, with its errors as Error and without its header.
///
/// HDF5 is not thread-safe: every call here holds one lock of the process. Two threads may therefore use
/// stores at the same time, unless both write stores on more than one rank (their collective calls could wait
/// for one another).

#include <atoll/comm/communicator.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace atl::hdf5 {

using Id = std::int64_t; ///< hid_t

enum class Type { int32, int64, uint64, float32, float64 };
std::size_t bytes_of(Type type);
const char* to_string(Type type);

template <class T>
constexpr Type type_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return Type::int32;
  if constexpr (std::is_same_v<T, std::int64_t>) return Type::int64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Type::uint64;
  if constexpr (std::is_same_v<T, float>) return Type::float32;
  if constexpr (std::is_same_v<T, double>) return Type::float64;
}

/// An identifier of HDF5, closed at the end. Closing a dataset, group, type or space is local.
class Handle {
 public:
  Handle() = default;
  explicit Handle(Id id) : id_(id) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~Handle();
  Id id() const { return id_; }
  Id release() { return std::exchange(id_, -1); }

 private:
  Id id_ = -1;
};

/// An array in a file. `rows` along the first dimension, `columns` values each (1 for a one-dimensional one).
struct Dataset {
  Handle handle;
  Handle transfer; ///< how slabs travel
  std::string path;
  Type type{};
  bool matrix = false; ///< two dimensions
  std::int64_t rows = 0;
  std::int64_t columns = 1;
  /// Position and size in the file of an uncompressed array; -1 otherwise.
  std::int64_t position = -1;
  std::int64_t bytes = 0;
};

/// A file that is being written. With more than one rank all members are collective, and the metadata too are
/// written collectively. Errors are Error{environment}.
class Writer {
 public:
  /// Replaces an existing file. size() == 1 needs no MPI.
  Writer(Communicator& comm, const std::string& path);
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;
  /// Closes the file where it is this rank's alone; a shared file must have been closed by close().
  ~Writer();

  void make_group(const std::string& path);
  /// matrix: two dimensions. compress: chunks, shuffled and deflated.
  Dataset make_dataset(const std::string& path, Type type, std::int64_t rows, bool matrix, std::int64_t columns,
                       bool compress);
  /// Rows [first, first + count) from memory; every rank calls it, also with count 0.
  void write(const Dataset& dataset, std::int64_t first, std::int64_t count, const void* values);
  void set_attribute(const std::string& object, const std::string& name, std::int64_t value);
  void set_attribute(const std::string& object, const std::string& name, std::uint64_t value);
  /// Of variable length, which Python reads as str.
  void set_attribute(const std::string& object, const std::string& name, const std::string& text);
  /// Flushes and closes, on all ranks, whatever happened before.
  void close();

 private:
  Handle file_;
  std::string path_;
  bool shared_ = false;
};

/// A file that is being read by this rank alone. Errors are Error{bad_input} and name the file; that of a
/// file lock is Error{environment}.
class Reader {
 public:
  /// sealed: the structure is known to be as it was written. HDF5 1.10 crashes on an altered heap, where texts
  /// of variable length lie, so they are read from sealed files alone.
  Reader(const std::string& path, bool sealed);

  bool has(const std::string& object) const;
  void require_group(const std::string& path) const;
  /// Refuses other types and numbers of dimensions than those asked for, and sizes that the file cannot hold.
  Dataset open(const std::string& path, std::initializer_list<Type> types, bool matrix = false) const;
  void read(const Dataset& dataset, std::int64_t first, std::int64_t count, void* values) const;
  std::uint64_t checksum_attribute(const std::string& object) const;
  std::int64_t integer_attribute(const std::string& object, const std::string& name) const;
  /// Nothing where it must not be read.
  std::optional<std::string> text_attribute(const std::string& object, const std::string& name) const;
  std::vector<std::string> members(const std::string& group) const;
  const std::string& path() const { return path_; }

 private:
  Handle file_;
  std::string path_;
  std::int64_t file_bytes_ = 0;
  bool sealed_ = false;
};

} // namespace atl::hdf5
