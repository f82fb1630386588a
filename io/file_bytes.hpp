#pragma once

#include <atoll/comm/communicator.hpp>

#include <span>
#include <string>

namespace atl {

/// Bytes that can be read from any position: a file, or text in memory (tests, fuzzing). Local.
class ATOLL_API ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual Offset size() const = 0;
  /// Fills `out` from position `at`; at + out.size() <= size().
  virtual void read(Offset at, std::span<char> out) const = 0;
};

/// A regular file, open for reading at any position without a shared cursor.
/// Errors     Error{bad_input}: missing, a folder, not a regular file, not readable, shorter than it was.
class ATOLL_API FileBytes final : public ByteSource {
 public:
  explicit FileBytes(const std::string& path);
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override;

  Offset size() const override { return size_; }
  void read(Offset at, std::span<char> out) const override;

 private:
  std::string path_;
  int file_ = -1;
  Offset size_ = 0;
};

/// Text that somebody else keeps alive.
class ATOLL_API MemoryBytes final : public ByteSource {
 public:
  explicit MemoryBytes(std::span<const char> text) : text_(text) {}
  Offset size() const override { return std::ssize(text_); }
  void read(Offset at, std::span<char> out) const override;

 private:
  std::span<const char> text_;
};

enum class FileKind {
  matrix_market, ///< begins with the banner %%MatrixMarket
  hdf5,          ///< carries the HDF5 signature
  gzip,          ///< compressed; must be unpacked first
  empty,         ///< no bytes
  text,          ///< printable, but without the banner
  binary         ///< anything else
};

/// What a file is, by its content and not by its name. Local.
ATOLL_API FileKind file_kind(const ByteSource& bytes);
/// The same on all ranks, looked up by one. Collective. Errors: those of FileBytes, the same on all ranks.
ATOLL_API FileKind file_kind(Communicator& comm, const std::string& path);

} // namespace atl
