#include <atoll/comm/agree.hpp>
#include <atoll/io/file_bytes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace atl {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  const char* what = "cannot be read";
  if (error == ENOENT || error == ENOTDIR) what = "no such file; check the name and the current folder";
  if (error == EACCES || error == EPERM) what = "no permission to read it";
  if (error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM)
    throw Error(ErrorKind::bad_input, what, path);
  throw Error(ErrorKind::bad_input, fmt::format("{}: {}", what, std::strerror(error)), path);
}

bool same_letter(char a, char b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return lower(a) == lower(b);
}

bool begins_with_banner(std::string_view head) {
  constexpr std::string_view banner = "%%MatrixMarket";
  head.remove_prefix(std::min(head.find_first_not_of(" \t\r\n"), head.size()));
  return head.size() >= banner.size() && std::equal(banner.begin(), banner.end(), head.begin(), same_letter);
}

/// The signature lies at byte 0, 512, 1024, 2048, ... (a user block may precede it).
bool has_hdf5_signature(const ByteSource& bytes) {
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  char found[8];
  for (Offset at = 0; at + 8 <= bytes.size(); at = at ? 2 * at : 512) {
    bytes.read(at, found);
    if (std::string_view(found, 8) == signature) return true;
  }
  return false;
}

bool printable(std::string_view head) {
  return std::none_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 127 || (byte < 32 && !std::strchr("\t\r\n\f\v", c)) || byte == 0;
  });
}

} // namespace

FileBytes::FileBytes(const std::string& path) : path_(path) {
  struct stat status {};
  // Asked before open(): opening a pipe would wait for its writer.
  if (::stat(path.c_str(), &status) != 0) fail(path, errno);
  if (S_ISDIR(status.st_mode)) throw Error(ErrorKind::bad_input, "is a folder, a file was expected", path);
  if (!S_ISREG(status.st_mode))
    throw Error(ErrorKind::bad_input, "is not a regular file; ranks read byte ranges, save it to a disk first", path);
  file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) fail(path, errno);
  size_ = status.st_size;
}

FileBytes::~FileBytes() {
  if (file_ >= 0) ::close(file_);
}

void FileBytes::read(Offset at, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t done = ::pread(file_, out.data(), out.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail(path_, errno);
    if (done == 0)
      throw Error(
          ErrorKind::bad_input,
          fmt::format("ends at byte {}, but had {} when it was opened; is it still being written?", at, size_),
          path_);
    at += done;
    out = out.subspan(static_cast<std::size_t>(done));
  }
}

void MemoryBytes::read(Offset at, std::span<char> out) const {
  ensure(at >= 0 && at + std::ssize(out) <= size(), "MemoryBytes::read beyond the end");
  if (!out.empty()) std::memcpy(out.data(), text_.data() + at, out.size());
}

FileKind file_kind(const ByteSource& bytes) {
  if (bytes.size() == 0) return FileKind::empty;
  char buffer[512];
  const std::span<char> head(buffer, static_cast<std::size_t>(std::min<Offset>(bytes.size(), 512)));
  bytes.read(0, head);
  const std::string_view text(head.data(), head.size());
  if (begins_with_banner(text)) return FileKind::matrix_market;
  if (has_hdf5_signature(bytes)) return FileKind::hdf5;
  if (text.starts_with("\x1f\x8b")) return FileKind::gzip;
  return printable(text) ? FileKind::text : FileKind::binary;
}

FileKind file_kind(Communicator& comm, const std::string& path) {
  std::int64_t kind = 0;
  agree(comm, [&] {
    if (comm.rank() == 0) kind = static_cast<std::int64_t>(file_kind(FileBytes(path)));
  });
  return static_cast<FileKind>(comm.all_reduce(kind, ReduceOp::max));
}

} // namespace atl
