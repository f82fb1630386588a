#include <atoll/comm/agree.hpp>
#include <atoll/io/matrix_market_reader.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace atl {
namespace {

/// Where rank number `rank` of `ranks` begins: data_begin + length * rank / ranks, without overflow.
Offset range_begin(const MatrixMarketHeader& header, Offset length, int rank, int ranks) {
  return header.data_begin + length / ranks * rank + length % ranks * rank / ranks;
}

/// The line of this rank's data line number `number` (from 0).
Offset find_line(LineRange lines, Offset number) {
  for (Line line; lines.next(line);)
    if (!is_idle(line) && number-- == 0) break;
  return lines.lines();
}

} // namespace

ReadProgress::ReadProgress(Observer& observer, const MatrixMarketHeader& header, const Communicator& comm,
                           const ByteSource& bytes, int rounds)
    : observer_(observer) {
  const Offset length = bytes.size() - header.data_begin;
  begin_ = range_begin(header, length, comm.rank(), comm.size());
  length_ = range_begin(header, length, comm.rank() + 1, comm.size()) - begin_;
  all_ = rounds * length_;
}

void ReadProgress::call(const LineRange& lines) {
  observer_.progress(before_ + std::min(lines.position() - begin_, length_), all_);
}

LineRange data_lines(const Communicator& comm, const ByteSource& bytes, const MatrixMarketHeader& header) {
  const Offset length = bytes.size() - header.data_begin;
  return {bytes, header.data_begin, range_begin(header, length, comm.rank(), comm.size()),
          range_begin(header, length, comm.rank() + 1, comm.size())};
}

void agree_on_lines(Communicator& comm, const LinesSeen& seen, const MatrixMarketHeader& header,
                    const std::string& name) {
  const Offset before = header.data_line - 1 + comm.exclusive_sum(seen.lines);
  std::optional<Error> mine;
  if (seen.error) {
    // Only what is wrong in the text has a line; a failing disk or a lack of memory has none.
    const bool in_text = seen.error->where().empty() && seen.error->kind() == ErrorKind::bad_input;
    mine.emplace(seen.error->kind(), seen.error->what(), in_text ? place(name, before + seen.error_line) : name);
  }
  agree(comm, mine);
}

Offset agree_on_count(Communicator& comm, const ByteSource& bytes, const LinesSeen& seen,
                      const MatrixMarketHeader& header, const std::string& name) {
  const Offset entries_before = comm.exclusive_sum(seen.entries);
  const Offset lines_before = header.data_line - 1 + comm.exclusive_sum(seen.lines);
  const Offset found = comm.all_reduce(seen.entries, ReduceOp::sum);
  const char* items = header.layout == MatrixMarketHeader::Layout::array ? "values" : "entries";
  if (found < header.entries)
    throw Error(ErrorKind::bad_input,
                fmt::format("the size line announces {} {}, but only {} follow; is the file truncated?",
                            header.entries, items, found),
                place(name, header.data_line - 1));
  if (found == header.entries) return entries_before;
  agree(comm, [&] {
    const Offset first_extra = header.entries - entries_before; // number within this rank's data lines
    if (first_extra < 0 || first_extra >= seen.entries) return;
    throw Error(ErrorKind::bad_input,
                fmt::format("too many {}: the size line announces {}, {} follow; this is the first extra one", items,
                            header.entries, found),
                place(name, lines_before + find_line(data_lines(comm, bytes, header), first_extra)));
  });
  return entries_before;
}

} // namespace atl
