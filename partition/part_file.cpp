#include <atoll/comm/agree.hpp>
#include <atoll/comm/block_range.hpp>
#include <atoll/partition/part_file.hpp>
#include <atoll/partition/routing.hpp>
#include <atoll/partition/wording.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atl {
namespace {

/// An open file; pread needs no shared position.
class File {
 public:
  explicit File(const std::string& name) : name_(name), descriptor_(::open(name.c_str(), O_RDONLY)) {
    struct stat status {};
    if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail();
    if (!S_ISREG(status.st_mode))
      throw Error(ErrorKind::bad_input, "is not a regular file; a file with one part number a row is expected",
                  name_);
    size_ = status.st_size;
  }
  File(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  Offset size() const { return size_; }

  /// Bytes [begin, end) into text.
  void read(Offset begin, Offset end, std::string& text) const {
    text.resize(end - begin);
    for (Offset done = 0; done < end - begin;) {
      const ssize_t got = ::pread(descriptor_, text.data() + done, end - begin - done, begin + done);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) fail();
      done += got;
    }
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(ErrorKind::bad_input, fmt::format("cannot be read: {}", std::strerror(errno)), name_);
  }
  std::string name_;
  int descriptor_ = -1;
  Offset size_ = 0;
};

/// What one rank's share of the lines holds. A fault waits until line numbers are known.
struct Share {
  std::vector<int> parts;
  std::vector<Offset> bad_line; ///< none, or one: lines of this share before the fault
  std::string fault;
  Offset lines = 0;
};

/// One line to a part number. Returns false for a blank line or a comment; faults are put into share.fault.
void take_line(std::string_view line, int parts, Share& share) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  if (line.empty() || line.front() == '%' || line.front() == '#' || !share.fault.empty()) return;
  std::int64_t value = -1;
  const auto [end, status] = std::from_chars(line.data(), line.data() + line.size(), value);
  if (status == std::errc() && end == line.data() + line.size() && value >= 0 && value < parts)
    return share.parts.push_back(static_cast<int>(value));
  std::string seen(line.substr(0, 40));
  for (char& c : seen)
    if (c < ' ' || c > '~') c = '?';
  share.fault =
      fmt::format("part number '{}' is not in 0..{}; one 0-based number a row is expected", seen, parts - 1);
  share.bad_line.assign(1, share.lines);
}

/// Reads the lines that begin in this rank's bytes, a bounded piece at a time; the last may end beyond them.
Share read_share(const File& file, int rank, int ranks, int parts) {
  constexpr Offset piece = Offset{1} << 20;
  const BlockRange bytes{file.size(), ranks};
  const Offset end = bytes.begin(rank + 1);
  Offset at = bytes.begin(rank);
  Share share;
  if (at >= end) return share;
  std::string text, line;
  bool inside = true; // in a line that began here
  if (at > 0) {
    file.read(at - 1, at, text);
    inside = text[0] == '\n';
  }
  while (at < file.size() && (at < end || inside)) {
    const Offset stop = std::min(at + piece, file.size());
    file.read(at, stop, text);
    for (const char c : text) {
      if (!inside && at >= end) return share;
      ++at;
      if (c != '\n') {
        if (inside && line.size() < 4096) line += c;
        continue;
      }
      if (inside) {
        take_line(line, parts, share);
        ++share.lines;
        line.clear();
      }
      inside = at < end; // the next line begins at `at`
    }
  }
  if (inside && !line.empty()) {
    take_line(line, parts, share);
    ++share.lines;
  }
  return share;
}

struct RowPart {
  GlobalIndex row;
  int part;
};

} // namespace

std::vector<int> read_part_file(const Context& context, const DGraph& graph, int parts,
                                const std::string& file_name) {
  Communicator& comm = *context.comm;
  Share share;
  agree(comm, [&] { share = read_share(File(file_name), comm.rank(), comm.size(), parts); });

  const std::int64_t lines_before = comm.exclusive_sum(share.lines);
  std::optional<Error> fault;
  if (!share.fault.empty())
    fault.emplace(ErrorKind::bad_input, share.fault,
                  fmt::format("{}:{}", file_name, lines_before + share.bad_line[0] + 1));
  agree(comm, fault);
  const std::int64_t found = comm.all_reduce(std::ssize(share.parts), ReduceOp::sum);
  const GlobalIndex first = comm.exclusive_sum(std::ssize(share.parts));
  if (found != graph.n())
    throw Error(ErrorKind::bad_input,
                fmt::format("holds {}, but the matrix has {}; one number a row is expected",
                            number_of(found, "part number"), number_of(graph.n(), "row")),
                file_name);

  std::vector<RowPart> items;
  items.reserve(share.parts.size());
  for (std::size_t k = 0; k < share.parts.size(); ++k)
    items.push_back({first + static_cast<GlobalIndex>(k), share.parts[k]});
  const RowRanges ranges(comm, graph.map().owned_begin());
  std::vector<int> part(graph.rows());
  for (const RowPart& item : route(context.comm, items, [&](const RowPart& i) { return ranges.owner(i.row); }).items)
    part[item.row - graph.map().owned_begin()] = item.part;
  return part;
}

} // namespace atl
