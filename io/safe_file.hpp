#pragma once

#include <atoll/comm/communicator.hpp>

#include <string>
#include <string_view>

namespace atl {

/// An output file that appears whole or not at all: write to temporary(), then commit().
/// The temporary lies beside the target, so that the rename is atomic; an old file stays as it was until then
/// and lends its permissions. A device such as /dev/null is written directly, a link is followed.
/// Ranks      Construction and commit() are collective. The destructor is local: it removes the temporary
///            unless commit() has succeeded, so an exception between the two leaves nothing behind.
/// Errors     Error{environment}, the same on all ranks: the file cannot be created, synced or renamed, or it was
///            given up meanwhile.
class ATOLL_API SafeFile {
 public:
  SafeFile(Communicator& comm, const std::string& path);
  SafeFile(const SafeFile&) = delete;
  SafeFile& operator=(const SafeFile&) = delete;
  ~SafeFile();

  /// Exists already, empty, when construction returns. The same on all ranks.
  const std::string& temporary() const { return temporary_; }
  /// Syncs the temporary to the disk and gives it its name. All ranks have closed the file by then.
  void commit(Communicator& comm);

 private:
  std::string path_, temporary_;
  bool in_place_ = false; ///< a device: written directly
  bool owner_ = false;    ///< this rank removes the temporary
  int place_ = -1;        ///< among the unfinished files of this process
};

/// Removes the temporaries of all SafeFiles that this process owns and has not committed; their commit() then fails.
/// For signal handlers: it calls unlink() and nothing else. At most 16 files at a time are known, with names of at most
/// 4095 bytes; a folder that the process changed to meanwhile misleads relative names.
ATOLL_API void give_up_unfinished_files() noexcept;

/// A small file from this rank alone, aside and renamed. Local. Errors: Error{environment}.
ATOLL_API void write_file_safely(const std::string& path, std::string_view text);

/// An open file to which ranks write their own byte ranges. Local; errors are Error{environment}.
class ATOLL_API OutputFile {
 public:
  explicit OutputFile(const std::string& path); ///< opens a file that exists
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(Offset at, std::string_view bytes);
  /// Syncs and closes; reports what a full disk has kept back until now.
  void close();

 private:
  std::string path_;
  int file_ = -1;
};

} // namespace atl
