#include "matrix_text.hpp"

#include <atoll/comm/virtual_cluster.hpp>
#include <atoll/io/matrix_market_reader.hpp>

#include "support/contexts.hpp"
#include "support/gather.hpp"

namespace atl::test {
namespace {

constexpr const char* name = "test.mtx";

template <class Read>
void with_text(const std::string& text, int ranks, const Read& read) {
  const MemoryBytes bytes(text);
  const auto body = [&](CommunicatorPtr comm) {
    read(test_context(std::move(comm)), bytes, parse_matrix_market_header(bytes, name));
  };
  if (ranks == 1)
    body(make_self_communicator());
  else
    run_virtual_cluster(ranks, body, {.seed = static_cast<std::uint64_t>(ranks)});
}

} // namespace

WholeMatrix whole_matrix(const Context& context, const RowBlock<double>& block) {
  const auto whole = gather_rows(*context.comm, block);
  return {whole.n_rows, whole.n_cols, whole.entries(), to_dense(whole)};
}

WholeMatrix read_matrix_text(const std::string& text, int ranks) {
  WholeMatrix result;
  with_text(text, ranks, [&](const Context& context, const ByteSource& bytes, const auto& header) {
    const auto block = read_matrix_market<double>(context, bytes, header, name);
    validate(*context.comm, block);
    const auto whole = whole_matrix(context, block);
    if (context.rank() == 0) result = whole;
  });
  return result;
}

std::vector<double> read_dense_text(const std::string& text, int ranks) {
  std::vector<double> result;
  with_text(text, ranks, [&](const Context& context, const ByteSource& bytes, const auto& header) {
    const auto whole = gather(*context.comm, read_dense_matrix_market<double>(context, bytes, header, name).values);
    if (context.rank() == 0) result = whole;
  });
  return result;
}

std::string error_of_text(const std::string& text, int ranks) {
  std::vector<std::string> lines(static_cast<std::size_t>(ranks));
  const MemoryBytes bytes(text);
  const auto body = [&](CommunicatorPtr comm) {
    try {
      const auto header = parse_matrix_market_header(bytes, name);
      read_matrix_market<double>(test_context(comm), bytes, header, name);
    } catch (const Error& error) {
      lines[comm->rank()] = error.line();
    }
  };
  if (ranks == 1)
    body(make_self_communicator());
  else
    run_virtual_cluster(ranks, body);
  for (const auto& line : lines)
    if (line != lines.front()) return "ranks disagree: " + lines.front() + " | " + line;
  return lines.front();
}

} // namespace atl::test
