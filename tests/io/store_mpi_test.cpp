// Stores written by P ranks and loaded by Q, for all P and Q that fit in the run.
#include <atoll/comm/agree.hpp>
#include <atoll/comm/mpi_communicator.hpp>

#include "store_sample.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <sys/resource.h>

namespace atl::test {
namespace {

/// The first `ranks` ranks of the world run body; all wait for its end.
void on_ranks(int ranks, const std::function<void(const Context&)>& body) {
  const CommunicatorPtr all = world();
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, all->rank() < ranks ? 0 : MPI_UNDEFINED, all->rank(), &part);
  if (part != MPI_COMM_NULL) {
    body(test_context(make_mpi_communicator(part)));
    MPI_Comm_free(&part);
  }
  all->barrier();
}

template <class T>
void write_sample(const Context& context, const std::string& path, const StoreSample& sample, bool compress) {
  const GlobalIndex begin = sample.ranges[static_cast<std::size_t>(context.rank())],
                    end = sample.ranges[static_cast<std::size_t>(context.rank()) + 1];
  const RowBlock<T> rows = sample.rows<T>(begin, end);
  std::vector<StoredVector<T>> vectors{{"twice", 2, {}}};
  std::vector<T>& twice = vectors[0].values;
  for (GlobalIndex i = begin; i < end; ++i) {
    twice.push_back(static_cast<T>(i));
    twice.push_back(static_cast<T>(2 * i));
  }
  write_store(context, path, rows, sample.numbering(begin, end), {compress, "sample"}, vectors);
}

template <class T>
void expect_sample(const Context& context, const std::string& path, const StoreSample& sample) {
  const StoredMatrix<T> stored = read_store<T>(context, path);
  EXPECT_EQ(stored.parts, sample.parts());
  EXPECT_EQ(stored.same_layout, sample.parts() == context.size());
  EXPECT_EQ(stored.name, "sample");
  const GlobalIndex begin = stored.rows.row_begin, end = stored.rows.row_end();
  if (stored.same_layout) {
    EXPECT_EQ(begin, sample.ranges[static_cast<std::size_t>(context.rank())]);
    EXPECT_EQ(end, sample.ranges[static_cast<std::size_t>(context.rank()) + 1]);
  }
  EXPECT_EQ(context.comm->all_reduce(end - begin, ReduceOp::sum), sample.matrix.rows);
  EXPECT_EQ(difference(stored.rows, sample.rows<T>(begin, end)), "");
  for (GlobalIndex i = begin; i < end; ++i)
    EXPECT_EQ(stored.numbering.original(static_cast<LocalIndex>(i - begin)),
              sample.original[static_cast<std::size_t>(i)]);

  EXPECT_EQ(stored.vectors.size(), 1u);
  if (stored.vectors.size() != 1) return;
  EXPECT_EQ(stored.vectors[0].name, "twice");
  EXPECT_EQ(stored.vectors[0].columns, 2);
  EXPECT_EQ(std::ssize(stored.vectors[0].values), 2 * (end - begin));
  for (GlobalIndex i = begin; i < end; ++i)
    EXPECT_EQ(stored.vectors[0].values[static_cast<std::size_t>(2 * (i - begin) + 1)], static_cast<T>(2 * i));
}

enum class Pairs { all, ends };

/// Written by P ranks, loaded by Q: all pairs, or those of one rank and of all.
template <class T>
void write_and_load(const RandomMatrix& matrix, bool compress, Pairs pairs = Pairs::ends) {
  const CommunicatorPtr all = world();
  const TemporaryFolder folder(all);
  const int step = pairs == Pairs::all ? 1 : std::max(1, all->size() - 1);
  for (int p = 1; p <= all->size(); p += step) {
    const StoreSample sample(matrix, p, static_cast<std::uint64_t>(p));
    const std::string path = folder.file("p" + std::to_string(p) + ".h5");
    on_ranks(p, [&](const Context& context) { write_sample<T>(context, path, sample, compress); });
    for (int q = 1; q <= all->size(); q += step) {
      SCOPED_TRACE("written by " + std::to_string(p) + ", loaded by " + std::to_string(q));
      on_ranks(q, [&](const Context& context) { expect_sample<T>(context, path, sample); });
    }
  }
  if (all->rank() == 0) {
    EXPECT_EQ(std::ssize(folder.list()), (all->size() + step - 1) / step); // and no temporary
  }
}

TEST(MpiStore, SquareMatrixGoesBetweenAllRankCounts) {
  write_and_load<double>({.rows = 61, .cols = 61, .density = 0.08, .seed = 3}, false, Pairs::all);
}

TEST(MpiStore, CompressedMatrix) {
  write_and_load<double>({.rows = 40, .cols = 40, .density = 0.1, .seed = 4}, true);
}

TEST(MpiStore, FloatMatrix) { write_and_load<float>({.rows = 33, .cols = 33, .density = 0.1, .seed = 5}, false); }

TEST(MpiStore, WideMatrix) {
  write_and_load<double>({.rows = 9, .cols = 50, .density = 0.2, .seed = 6, .diagonal = false}, false);
}

TEST(MpiStore, ThreeRowsOnManyRanks) {
  write_and_load<double>({.rows = 3, .cols = 3, .density = 0.9, .seed = 7}, false);
  write_and_load<double>({.rows = 3, .cols = 3, .density = 0.9, .seed = 7}, true);
}

TEST(MpiStore, EmptyMatrix) {
  write_and_load<double>({.rows = 0, .cols = 0}, false);
  write_and_load<double>({.rows = 0, .cols = 0}, true);
  write_and_load<double>({.rows = 5, .cols = 5, .density = 0, .diagonal = false}, true);
}

TEST(MpiStore, LongArraysTravelInRoundsAndChunks) {
  // More than one round of 2^20 entries and chunks that ranks share.
  const CommunicatorPtr all = world();
  const Context context = test_context(all);
  const TemporaryFolder folder(all);
  const GlobalIndex n = 130001, band = 4;
  const auto make = [&](GlobalIndex begin, GlobalIndex end) {
    RowBlock<double> rows;
    rows.n_rows = rows.n_cols = n;
    rows.row_begin = begin;
    for (GlobalIndex i = begin; i < end; ++i) {
      for (GlobalIndex j = std::max<GlobalIndex>(0, i - band); j <= std::min(n - 1, i + band); ++j) {
        rows.column.push_back(j);
        rows.value.push_back(static_cast<double>(i * 16 + j - i));
      }
      rows.offsets.push_back(rows.entries());
    }
    return rows;
  };
  const BlockRange blocks{n, all->size()};
  const GlobalIndex begin = blocks.begin(all->rank()), end = blocks.begin(all->rank() + 1);
  const Numbering numbering{n, begin, static_cast<LocalIndex>(end - begin), {}};
  for (const bool compress : {false, true}) {
    const std::string path = folder.file("long.h5");
    write_store(context, path, make(begin, end), numbering, {compress, ""});
    const StoredMatrix<double> stored = read_store<double>(context, path);
    EXPECT_TRUE(stored.numbering.identity());
    EXPECT_EQ(difference(stored.rows, make(begin, end)), "");
  }
}

TEST(MpiStore, PartsNeedNotBeTheRanks) {
  const CommunicatorPtr all = world();
  const Context context = test_context(all);
  const TemporaryFolder folder(all);
  const RandomMatrix matrix{.rows = 50, .cols = 50, .density = 0.1, .seed = 8};
  for (const int parts : {2, 7, 60}) {
    SCOPED_TRACE(parts);
    const StoreSample sample(matrix, parts, 9);
    const std::string path = folder.file("parts.h5");
    const BlockRange blocks{matrix.rows, all->size()};
    const GlobalIndex begin = blocks.begin(all->rank()), end = blocks.begin(all->rank() + 1);
    write_store(context, path, sample.rows<double>(begin, end), sample.numbering(begin, end),
                std::span<const GlobalIndex>(sample.ranges), {});
    const StoredMatrix<double> stored = read_store<double>(context, path);
    EXPECT_EQ(stored.parts, parts);
    EXPECT_EQ(difference(stored.rows, sample.rows<double>(stored.rows.row_begin, stored.rows.row_end())), "");
  }
}

TEST(MpiStore, DenseArray) {
  const CommunicatorPtr all = world();
  const TemporaryFolder folder(all);
  const GlobalIndex n = 17;
  const LocalIndex k = 3;
  const std::vector<double> values = random_values(0, n * k, 10);
  const int step = std::max(1, all->size() - 1);
  for (int p = 1; p <= all->size(); p += step) {
    const std::string path = folder.file("v.h5");
    on_ranks(p, [&](const Context& context) {
      const BlockRange blocks{n, p};
      write_dense_store<double>(context, path, n, k,
                                {values.data() + blocks.begin(context.rank()) * k,
                                 static_cast<std::size_t>(blocks.size(context.rank()) * k)});
    });
    for (int q = 1; q <= all->size(); q += step)
      on_ranks(q, [&](const Context& context) {
        GlobalIndex rows = 0;
        LocalIndex cols = 0;
        const std::vector<double> slab = read_dense_store<double>(context, path, rows, cols);
        EXPECT_EQ(rows, n);
        EXPECT_EQ(cols, k);
        const BlockRange blocks{n, q};
        const GlobalIndex first = blocks.begin(context.rank()) * k;
        EXPECT_EQ(std::ssize(slab), blocks.size(context.rank()) * k);
        for (GlobalIndex i = 0; i < std::ssize(slab); ++i)
          EXPECT_EQ(slab[static_cast<std::size_t>(i)], values[static_cast<std::size_t>(first + i)]);
      });
  }
}

/// The kind and text of what body throws; the text must be the same on all ranks.
std::string agreed_error(Communicator& comm, ErrorKind kind, const std::function<void()>& body) {
  std::string line = "no error";
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    line = error.line();
  }
  EXPECT_EQ(comm.broadcast(line, 0), line);
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  return line;
}

TEST(MpiStore, RanksRefuseTogether) {
  const CommunicatorPtr all = world();
  const Context context = test_context(all);
  const TemporaryFolder folder(all);
  const std::string path = folder.file("a.h5"), altered = folder.file("b.h5");
  const StoreSample sample({.rows = 30, .cols = 30, .density = 0.2, .seed = 2}, all->size(), 2);
  write_sample<double>(context, path, sample, false);
  const auto load = [&] { (void)read_store<double>(context, altered); };

  EXPECT_NE(agreed_error(*all, ErrorKind::bad_input, load).find("o such file"), std::string::npos);
  std::string bytes = read_bytes(path);
  const double last = sample.rows<double>(29, 30).value.back();
  const std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(&last), sizeof last));
  EXPECT_NE(at, std::string::npos);
  if (at == std::string::npos) return;
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  all->barrier();
  if (all->rank() == 0) write_bytes(altered, bytes);
  all->barrier();
  EXPECT_NE(agreed_error(*all, ErrorKind::bad_input, load).find("/matrix/data is altered"), std::string::npos);
  all->barrier();
  if (all->rank() == 0) write_bytes(altered, bytes.substr(0, bytes.size() / 2));
  all->barrier();
  EXPECT_NE(agreed_error(*all, ErrorKind::bad_input, load).find("truncated"), std::string::npos);

  const auto write = [&](const std::string& to) {
    return [&, to] { write_sample<double>(context, to, sample, false); };
  };
  agreed_error(*all, ErrorKind::environment, write(folder.file("missing/a.h5")));
  agreed_error(*all, ErrorKind::environment, write(folder.file("")));
  all->barrier();
  if (all->rank() == 0) {
    EXPECT_EQ(folder.list(), (std::vector<std::string>{"a.h5", "b.h5"}));
  }
}

TEST(MpiStore, AFailureOnOneRankLeavesTheOldFile) {
  const CommunicatorPtr all = world();
  const Context context = test_context(all);
  const TemporaryFolder folder(all);
  const std::string path = folder.file("a.h5");
  const StoreSample sample({.rows = 30, .cols = 30, .density = 0.2, .seed = 2}, all->size(), 2);
  write_sample<double>(context, path, sample, false);
  const std::string before = read_bytes(path);

  const GlobalIndex begin = sample.ranges[static_cast<std::size_t>(all->rank())],
                    end = sample.ranges[static_cast<std::size_t>(all->rank()) + 1];
  Numbering numbering = sample.numbering(begin, end);
  if (all->rank() == all->size() - 1) numbering.owned_count += 1;
  agreed_error(*all, ErrorKind::usage,
               [&] { write_store(context, path, sample.rows<double>(begin, end), numbering); });
  EXPECT_TRUE(read_bytes(path) == before);
}

TEST(MpiStore, AFullDiskIsAnErrorOnAllRanks) {
  const CommunicatorPtr all = world();
  const Context context = test_context(all);
  const TemporaryFolder folder(all);
  const std::string path = folder.file("a.h5");
  const StoreSample sample({.rows = 200, .cols = 200, .density = 0.2, .seed = 2}, all->size(), 2);
  write_sample<double>(context, path, sample, false);
  const std::string before = read_bytes(path);
  all->barrier();

  // A limit on the size of files stands for the full disk.
  const auto unlimited = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old{}, tight{};
  ::getrlimit(RLIMIT_FSIZE, &old);
  tight = old;
  for (const rlim_t bytes : {1000u, 20000u, 60000u}) {
    tight.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &tight);
    const std::string line = agreed_error(*all, ErrorKind::environment,
                                          [&] { write_sample<double>(context, path, sample, bytes == 20000u); });
    ::setrlimit(RLIMIT_FSIZE, &old);
    EXPECT_NE(line, "no error");
  }
  std::signal(SIGXFSZ, unlimited);
  EXPECT_TRUE(read_bytes(path) == before);
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"a.h5"}));
  expect_sample<double>(context, path, sample);
}

} // namespace
} // namespace atl::test
