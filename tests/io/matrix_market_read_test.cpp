// What the reader must understand, on any number of ranks. Files that tripped other readers name their source.
#include "matrix_text.hpp"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>

namespace atl {
namespace {

using test::read_matrix_text;

constexpr int rank_counts[] = {1, 2, 3, 5, 13};

void expect_matrix(const std::string& text, GlobalIndex rows, GlobalIndex cols, Offset entries,
                   const std::vector<double>& dense) {
  for (const int ranks : rank_counts) {
    const auto matrix = read_matrix_text(text, ranks);
    EXPECT_EQ(matrix.rows, rows) << ranks;
    EXPECT_EQ(matrix.cols, cols) << ranks;
    EXPECT_EQ(matrix.entries, entries) << ranks;
    EXPECT_EQ(matrix.dense, dense) << ranks;
  }
}

const std::vector<double> plain{4, -1, 0, -1.5, 4, 0, 0, 0, 2e-3};

TEST(MatrixMarketRead, General) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 4\n1 2 -1\n2 1 -1.5\n2 2 4\n3 3 2e-3\n", 3,
                3, 5, plain);
}

TEST(MatrixMarketRead, AnySpacingCaseAndCommentsAndNoLastNewline) {
  expect_matrix("%%matrixmarket\tMATRIX  Coordinate REAL   General  \n%comment\n\n  % another, indented\n"
                " \t3   3\t5 \n% between the entries\n  3 3 2.0D-03\n\n2\t1 -1.5 \n 2 2 +4.\n1 2 -1e0\n1 1 .4E1",
                3, 3, 5, plain);
}

TEST(MatrixMarketRead, CarriageReturns) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\r\n%\r\n\r\n3 3 5\r\n1 1 4\r\n1 2 -1\r\n2 1 -1.5\r\n"
                "2 2 4\r\n\r\n3 3 2e-3\r\n\r\n",
                3, 3, 5, plain);
}

// alugowski/fast_matrix_market: tests/matrices/permissive/permissive_lines_indented.mtx
TEST(MatrixMarketRead, IndentedLines) {
  expect_matrix("\t%%MatrixMarket matrix coordinate real general\n        %comment\n        1 1 1\n        1 1 1", 1,
                1, 1, {1});
}

// scipy/scipy#9426: leading blanks before the size line
TEST(MatrixMarketRead, LeadingBlanks) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n%  made by hand\n    3   3    4\n 1 1 2\n 2 2 2\n"
                "  3 3 2\n 3 1 -1\n",
                3, 3, 4, {2, 0, 0, 0, 2, 0, -1, 0, 2});
}

// clMathLibraries/clSPARSE#184, trilinos/Trilinos#6493: empty rows in the middle and at the end
TEST(MatrixMarketRead, EmptyRows) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n4 2 2\n1 1 2\n3 2 1\n", 4, 2, 2,
                {2, 0, 0, 0, 0, 1, 0, 0});
}

TEST(MatrixMarketRead, DuplicatesAreSummed) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n2 3 6\n2 3 1\n1 1 5\n2 3 1\n2 1 8\n2 3 0.5\n2 3 -1\n",
                2, 3, 3, {5, 0, 0, 8, 0, 1.5});
}

TEST(MatrixMarketRead, DuplicatesGiveTheSameSumOnAnyNumberOfRanks) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 60\n";
  for (int e = 0; e < 60; ++e)
    text += "2 2 " + std::to_string(std::sqrt(e + 1.0)) + "e" + std::to_string(e % 7) + "\n";
  const auto alone = read_matrix_text(text, 1).dense;
  for (const int ranks : rank_counts) EXPECT_EQ(read_matrix_text(text, ranks).dense, alone) << ranks;
}

TEST(MatrixMarketRead, StoredZerosStayStored) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0\n2 1 -0.0\n", 2, 2, 2, {0, 0, 0, 0});
}

// owensgroup/merge-spmm#5: a dense symmetric matrix lost its diagonal
TEST(MatrixMarketRead, Symmetric) {
  const std::vector<double> dense{2, 1, 1, 1, 1, 3, 1, 1, 1, 1, 4, 1, 1, 1, 1, 5};
  const std::string head = "%%MatrixMarket matrix coordinate real symmetric\n4 4 10\n";
  expect_matrix(head + "1 1 2\n2 1 1\n3 1 1\n4 1 1\n2 2 3\n3 2 1\n4 2 1\n3 3 4\n4 3 1\n4 4 5\n", 4, 4, 16, dense);
  // The upper triangle instead of the lower.
  expect_matrix(head + "1 1 2\n1 2 1\n1 3 1\n1 4 1\n2 2 3\n2 3 1\n2 4 1\n3 3 4\n3 4 1\n4 4 5\n", 4, 4, 16, dense);
}

// JuliaSparse/MatrixMarket.jl#39: entries near the diagonal were not mirrored
TEST(MatrixMarketRead, SkewSymmetric) {
  expect_matrix("%%MatrixMarket matrix coordinate real skew-symmetric\n4 4 4\n2 1 -2\n3 1 -5\n4 3 7\n3 3 0\n", 4, 4,
                7, {0, 2, 5, 0, -2, 0, 0, 0, -5, 0, 0, -7, 0, 0, 7, 0});
}

TEST(MatrixMarketRead, PatternAndInteger) {
  expect_matrix("%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n2 3\n1 2 \n", 2, 3, 3,
                {1, 1, 0, 0, 0, 1});
  expect_matrix("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n1 1\n2 1\n", 2, 2, 3, {1, 1, 1, 0});
  expect_matrix("%%MatrixMarket matrix coordinate integer general\n2 2 2\n1 1 -129\n2 1 4294967296\n", 2, 2, 2,
                {-129, 0, 4294967296, 0});
}

TEST(MatrixMarketRead, Arrays) {
  const std::string head = "%%MatrixMarket matrix array real ";
  expect_matrix(head + "general\n2 3\n1\n2\n0\n4\n% comment\n5\n\n6\n", 2, 3, 5, {1, 0, 5, 2, 4, 6});
  expect_matrix(head + "symmetric\n3 3\n1\n2\n3\n4\n5\n6", 3, 3, 9, {1, 2, 3, 2, 4, 5, 3, 5, 6});
  // scipy/scipy#16119: skew-symmetric arrays hold the strict lower triangle by columns
  expect_matrix(head + "skew-symmetric\n4 4\n3\n-5\n7\n11\n-13\n17\n", 4, 4, 12,
                {0, -3, 5, -7, 3, 0, -11, 13, -5, 11, 0, -17, 7, -13, 17, 0});
  expect_matrix("%%MatrixMarket matrix array integer general\n1 1\n-3\n", 1, 1, 1, {-3});
}

TEST(MatrixMarketRead, NothingToRead) {
  expect_matrix("%%MatrixMarket matrix coordinate real general\n0 0 0\n", 0, 0, 0, {});
  expect_matrix("%%MatrixMarket matrix coordinate real general\n0 0 0", 0, 0, 0, {});
  expect_matrix("%%MatrixMarket matrix coordinate real symmetric\n2 2 0\n% no entries\n", 2, 2, 0, {0, 0, 0, 0});
  expect_matrix("%%MatrixMarket matrix array real general\n0 3\n", 0, 3, 0, {});
  expect_matrix("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", 1, 1, 0, {0});
  expect_matrix("%%MatrixMarket matrix array real symmetric\n0 0\n", 0, 0, 0, {});
}

TEST(MatrixMarketRead, DenseArrays) {
  const std::string array = "%%MatrixMarket matrix array real general\n4 2\n1\n2\n0\n4\n-5\n6\n7\n8\n";
  const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n4 2 8\n1 1 1\n4 1 4\n2 1 2\n1 2 -6\n"
                                 "1 2 1\n2 2 6\n3 2 7\n4 2 8\n";
  const std::string vector = "%%MatrixMarket matrix array real general\n3 1\n1.5\n-2.5\n3.5\n";
  for (const int ranks : rank_counts) {
    EXPECT_EQ(test::read_dense_text(array, ranks), (std::vector<double>{1, -5, 2, 6, 0, 7, 4, 8})) << ranks;
    EXPECT_EQ(test::read_dense_text(coordinate, ranks), (std::vector<double>{1, -5, 2, 6, 0, 7, 4, 8})) << ranks;
    EXPECT_EQ(test::read_dense_text(vector, ranks), (std::vector<double>{1.5, -2.5, 3.5})) << ranks;
  }
}

// A matrix large enough that every rank has lines of its own and entries for all others.
TEST(MatrixMarketRead, EntriesInAnyOrderReachTheirOwners) {
  constexpr int n = 101;
  std::string text = "%%MatrixMarket matrix coordinate real general\n101 101 1010\n";
  std::vector<double> dense(n * n, 0.0);
  for (int e = 0; e < 1010; ++e) {
    const int row = e * 37 % n, column = e * e * 13 % n; // often the same place: summed
    text += std::to_string(row + 1) + " " + std::to_string(column + 1) + " " + std::to_string(e) + "\n";
    dense[row * n + column] += e;
  }
  for (const int ranks : {1, 2, 7, 64}) EXPECT_EQ(read_matrix_text(text, ranks).dense, dense) << ranks;
}

} // namespace
} // namespace atl
