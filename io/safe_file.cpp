#include <atoll/comm/agree.hpp>
#include <atoll/io/safe_file.hpp>

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace atl {
namespace {

[[noreturn]] void fail(const std::string& path, const char* action, int error) {
  const char* hint = "";
  if (error == ENOENT) hint = "; create the folder first";
  if (error == EACCES || error == EPERM || error == EROFS) hint = "; choose a folder you may write to";
  if (error == ENOSPC || error == EDQUOT) hint = "; free some space or choose another disk";
  throw Error(ErrorKind::environment, fmt::format("cannot {}: {}{}", action, std::strerror(error), hint), path);
}

std::string folder_of(const std::string& path) {
  const auto slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

/// The file that a chain of links ends at; `path` itself where there is none.
std::string follow_links(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  return real ? std::string(real.get()) : path;
}

/// A new empty file beside `path`, with the permissions of the file it will replace, if there is one.
std::string create_beside(const std::string& path) {
  struct stat old {};
  const bool replaces = ::stat(path.c_str(), &old) == 0;
  if (replaces && ::access(path.c_str(), W_OK) != 0) fail(path, "replace it", errno);
  for (int attempt = 0;; ++attempt) {
    std::string name = fmt::format("{}.{}-{}.part", path, ::getpid(), attempt);
    const int file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST && attempt < 1000) continue;
    if (file < 0) fail(path, "write", errno);
    if (replaces) ::fchmod(file, old.st_mode & 0777);
    ::close(file);
    return name;
  }
}

/// A rename is on the disk only when its folder is; not every file system offers that, so it may fail.
void sync_folder(const std::string& path) {
  const int folder = ::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  ::fsync(folder);
  ::close(folder);
}

void sync_file(const std::string& temporary, const std::string& path) {
  const int file = ::open(temporary.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) fail(path, "finish", errno);
  const int error = ::fsync(file) == 0 ? 0 : errno;
  ::close(file);
  if (error && error != EINVAL && error != ENOSYS) fail(path, "finish", error);
}

/// A temporary that a signal handler may remove. Signals are the process's, so the list of these is, too.
struct UnfinishedFile {
  enum State { free, taken, unfinished }; // taken: its name is being written
  std::atomic<int> state{free};
  char name[4096];
};
static_assert(std::atomic<int>::is_always_lock_free);
UnfinishedFile unfinished_files[16];

int note_unfinished(const std::string& name) {
  if (name.size() >= sizeof UnfinishedFile::name) return -1;
  for (UnfinishedFile& file : unfinished_files) {
    int free = UnfinishedFile::free;
    if (!file.state.compare_exchange_strong(free, UnfinishedFile::taken)) continue;
    std::memcpy(file.name, name.c_str(), name.size() + 1);
    file.state = UnfinishedFile::unfinished;
    return static_cast<int>(&file - unfinished_files);
  }
  return -1;
}

void forget_unfinished(int place) {
  if (place >= 0) unfinished_files[place].state = UnfinishedFile::free;
}

} // namespace

void give_up_unfinished_files() noexcept {
  for (UnfinishedFile& file : unfinished_files)
    if (file.state == UnfinishedFile::unfinished) ::unlink(file.name);
}

SafeFile::SafeFile(Communicator& comm, const std::string& path) : path_(path) {
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    if (path.empty()) throw Error(ErrorKind::usage, "the output file has an empty name");
    path_ = follow_links(path);
    struct stat status {};
    const bool exists = ::stat(path_.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail(path, "write", EISDIR);
    in_place_ = exists && !S_ISREG(status.st_mode);
    temporary_ = in_place_ ? path_ : create_beside(path_);
    owner_ = !in_place_;
    if (owner_) place_ = note_unfinished(temporary_);
  });
  temporary_ = comm.broadcast(temporary_, 0);
}

SafeFile::~SafeFile() {
  if (owner_) ::unlink(temporary_.c_str());
  forget_unfinished(place_);
}

void SafeFile::commit(Communicator& comm) {
  agree(comm, [&] {
    if (!owner_) return;
    sync_file(temporary_, path_);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail(path_, "rename the finished file", errno);
    owner_ = false;
    forget_unfinished(std::exchange(place_, -1));
    sync_folder(path_);
  });
}

void write_file_safely(const std::string& path, std::string_view text) {
  const auto alone = make_self_communicator();
  SafeFile file(*alone, path);
  OutputFile out(file.temporary());
  out.write(0, text);
  out.close();
  file.commit(*alone);
}

OutputFile::OutputFile(const std::string& path) : path_(path), file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {
  if (file_ < 0) fail(path_, "open the file to write", errno);
}

OutputFile::~OutputFile() {
  if (file_ >= 0) ::close(file_);
}

void OutputFile::write(Offset at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(file_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    // A pipe has no positions; one rank that writes from the start to the end needs none.
    if (done < 0 && errno == ESPIPE)
      throw Error(ErrorKind::environment, "cannot write byte ranges into a pipe; give a file name", path_);
    if (done <= 0) fail(path_, "write", done < 0 ? errno : ENOSPC);
    at += done;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
}

void OutputFile::close() {
  const int error = ::fsync(file_) == 0 ? 0 : errno;
  const int closed = ::close(std::exchange(file_, -1)) == 0 ? 0 : errno;
  if (error && error != EINVAL && error != ENOSYS) fail(path_, "write", error);
  if (closed) fail(path_, "write", closed);
}

} // namespace atl
