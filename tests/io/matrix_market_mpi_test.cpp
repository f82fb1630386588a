// Real files under mpirun: written by all ranks, read by all ranks.
#include "matrix_text.hpp"
#include "store_sample.hpp"

#include <atoll/io/file_bytes.hpp>
#include <atoll/io/matrix_market.hpp>

#include "support/contexts.hpp"
#include "support/gather.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

using test::TemporaryFolder;

TEST(MpiMatrixMarket, WhatAllRanksWriteAllRanksRead) {
  const auto comm = test::world();
  const auto context = test::test_context(comm);
  const TemporaryFolder folder(comm);
  const std::string path = folder.file("A.mtx");
  for (const bool spd : {false, true}) {
    const test::RandomMatrix matrix{.rows = 200, .cols = spd ? 200 : 130, .seed = 3, .spd = spd};
    const auto block = test::random_slab<double>(matrix, comm->rank(), comm->size());
    write_matrix_market(context, path, block, spd);
    const auto header = read_matrix_market_header(*comm, path);
    EXPECT_EQ(header.rows, 200);
    EXPECT_EQ(header.symmetry == MatrixMarketHeader::Symmetry::symmetric, spd);
    const auto back = read_matrix_market<double>(context, path);
    EXPECT_EQ(back.row_begin, block.row_begin);
    EXPECT_EQ(back.offsets, block.offsets);
    EXPECT_EQ(back.column, block.column);
    EXPECT_EQ(back.value, block.value);
  }
}

std::string error_of_path(const CommunicatorPtr& comm, const std::string& path) {
  try {
    read_matrix_market<double>(test::test_context(comm), path);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::bad_input);
    return error.line();
  }
  return "no error";
}

TEST(MpiMatrixMarket, RefusesAMissingFileAndAFolderOnAllRanks) {
  const auto comm = test::world();
  const TemporaryFolder folder(comm);
  EXPECT_EQ(error_of_path(comm, folder.file("missing.mtx")),
            folder.file("missing.mtx") + ": no such file; check the name and the current folder");
  EXPECT_EQ(error_of_path(comm, folder.file("")), folder.file("") + ": is a folder, a file was expected");
}

TEST(MpiMatrixMarket, NamesTheLineOfTheLastRank) {
  const auto comm = test::world();
  const TemporaryFolder folder(comm);
  const std::string path = folder.file("bad.mtx");
  std::string text = "%%MatrixMarket matrix coordinate real general\n1000 1000 1000\n";
  for (int row = 1; row < 1000; ++row) text += std::to_string(row) + " 1 1\n";
  if (comm->rank() == 0) test::write_bytes(path, text + "1000 2000 1\n");
  comm->barrier();
  EXPECT_EQ(error_of_path(comm, path), path + ":1002: column index 2000 is out of range, 1 to 1000 expected");
}

TEST(MpiMatrixMarket, CannotWriteWhereThereIsNoFolder) {
  const auto comm = test::world();
  const TemporaryFolder folder(comm);
  const test::RandomMatrix matrix{.rows = 9, .cols = 9};
  const auto block = test::random_slab<double>(matrix, comm->rank(), comm->size());
  try {
    write_matrix_market(test::test_context(comm), folder.file("none/A.mtx"), block);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::environment);
    EXPECT_NE(error.line().find("create the folder first"), std::string::npos) << error.line();
  }
}

} // namespace
} // namespace atl
