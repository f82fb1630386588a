#include <atoll/comm/agree.hpp>

namespace atl {
namespace {

// An Error as one text: kind, where, zero byte, what.
std::string pack(const Error& error) {
  return std::string(1, static_cast<char>('0' + static_cast<int>(error.kind()))) + error.where() + '\0' +
         error.what();
}

Error unpack(const std::string& text) {
  const auto end_of_where = text.find('\0');
  return Error(static_cast<ErrorKind>(text[0] - '0'), text.substr(end_of_where + 1),
               text.substr(1, end_of_where - 1));
}

} // namespace

void agree(Communicator& comm, const std::optional<Error>& mine, std::source_location where) {
  const int failed = comm.lowest_rank_where(mine.has_value(), where);
  if (failed == comm.size()) return;
  throw unpack(comm.broadcast(failed == comm.rank() ? pack(*mine) : std::string(), failed, where));
}

void agree(Communicator& comm, const std::function<void()>& local_work, std::source_location where) {
  std::optional<Error> mine;
  try {
    local_work();
  } catch (...) {
    mine = describe_current_exception();
  }
  agree(comm, mine, where);
}

} // namespace atl
