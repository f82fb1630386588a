// Writes and checks stores in a process that a test may kill.
//   store_tool write PATH    one of two matrices after the other, for ever; PATH.pid.RANK tells the processes
//   store_tool sample PATH   a small known matrix and a vector beside it (PATH.vector.h5), for other programs
//   store_tool check PATH    exit 0 when PATH is one of the two matrices, whole; 3 when it is refused
#include <atoll/comm/mpi_communicator.hpp>
#include <atoll/io/store.hpp>

#include "store_sample.hpp"

#include <cstdio>
#include <unistd.h>

namespace {

using namespace atl;

Context world_context() {
  Context context;
  context.comm = make_mpi_communicator(MPI_COMM_WORLD);
  context.executor = make_reference_executor();
  return context;
}

test::StoreSample version(int number, int parts) {
  return {{.rows = 3000, .cols = 3000, .density = 0.002, .seed = static_cast<std::uint64_t>(number)}, parts, 7};
}

struct Written {
  RowBlock<double> rows;
  Numbering numbering;
};

Written written(const Context& context, int number) {
  const test::StoreSample sample = version(number, context.size());
  const GlobalIndex begin = sample.ranges[static_cast<std::size_t>(context.rank())],
                    end = sample.ranges[static_cast<std::size_t>(context.rank()) + 1];
  return {sample.rows<double>(begin, end), sample.numbering(begin, end)};
}

int write_for_ever(const Context& context, const std::string& path) {
  test::write_bytes(path + ".pid." + std::to_string(context.rank()), std::to_string(::getpid()));
  const Written odd = written(context, 1), even = written(context, 2);
  for (;;) {
    write_store(context, path, odd.rows, odd.numbering, {false, "odd"});
    write_store(context, path, even.rows, even.numbering, {false, "even"});
  }
}

int check(const Context& context, const std::string& path) {
  const StoredMatrix<double> stored = read_store<double>(context, path);
  for (const int number : {1, 2}) {
    const test::StoreSample sample = version(number, stored.parts);
    if (test::difference(stored.rows, sample.rows<double>(stored.rows.row_begin, stored.rows.row_end())).empty())
      return 0;
  }
  std::fprintf(stderr, "neither the one matrix nor the other\n");
  return 1;
}

// Row i of the file: 10 i + j at columns (i, i + 2) mod 5; numbered backwards in the store.
int sample(const Context& context, const std::string& path) {
  const GlobalIndex n = 5;
  const BlockRange blocks{n, context.size()};
  RowBlock<double> rows;
  rows.n_rows = rows.n_cols = n;
  rows.row_begin = blocks.begin(context.rank());
  Numbering numbering{n, rows.row_begin, static_cast<LocalIndex>(blocks.size(context.rank())), {}};
  std::vector<double> vector;
  for (GlobalIndex g = rows.row_begin; g < blocks.begin(context.rank() + 1); ++g) {
    const GlobalIndex i = n - 1 - g;
    numbering.original_index.push_back(i);
    for (const GlobalIndex j : {i, (i + 2) % n}) {
      rows.column.push_back(n - 1 - j);
      rows.value.push_back(static_cast<double>(10 * i + j));
    }
    rows.offsets.push_back(rows.entries());
    vector.insert(vector.end(), {static_cast<double>(g), static_cast<double>(-g)});
  }
  write_store(context, path, rows, numbering, {false, "five"});
  write_dense_store<double>(context, path + ".vector.h5", n, 2, vector);
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  MpiSession session(&argc, &argv);
  if (argc != 3) return 2;
  const std::string mode = argv[1], path = argv[2];
  try {
    const Context context = world_context();
    if (mode == "write") return write_for_ever(context, path);
    if (mode == "check") return check(context, path);
    return mode == "sample" ? sample(context, path) : 2;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return exit_status(error.kind());
  }
}
