#include "progress.hpp"

#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::app {

namespace {

/// Open MPI and MPICH say so in the environment of their ranks.
bool started_by_launcher() { return std::getenv("OMPI_COMM_WORLD_SIZE") || std::getenv("PMI_SIZE"); }

bool is_pipe(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

/// Linux shows the open files of a process of the same user. In a batch job the launcher has no terminal; nor has a
/// shell's `mpirun ... 2>log`, or its pipe to tee.
bool parent_shows_on_terminal() {
  const std::string path = "/proc/" + std::to_string(getppid()) + "/fd/2";
  const int file = open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return false;
  const bool terminal = isatty(file);
  close(file);
  return terminal;
}

} // namespace

bool shows_progress(std::string_view wish) {
  if (wish != "auto") return wish == "always";
  if (isatty(STDERR_FILENO)) return true;
  return started_by_launcher() && is_pipe(STDERR_FILENO) && parent_shows_on_terminal();
}

} // namespace atl::app
