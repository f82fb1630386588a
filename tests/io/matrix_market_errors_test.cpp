// What the reader must refuse: every rank with the same words, file and line, whatever the number of ranks.
#include "matrix_text.hpp"

#include <gtest/gtest.h>

namespace atl {
namespace {

struct Bad {
  const char* what; ///< the fault, or the public file or thread it comes from
  std::string text;
  int line;          ///< the line to be named
  const char* words; ///< part of the message
};

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

const Bad bad_files[] = {
    // ---- banner
    {"empty file", "", 0, "empty"},
    {"brianhie/geosketch#4", "% written by some tool\n 3 3 1\n 1 1 2.0\n", 1, "no Matrix Market banner"},
    {"FaspDevTeam/faspsolver data/gre__115.mtx", "115 115 421\r\n1 1  1.26984e-01\r\n", 1, "'115 115 421'"},
    {"fast_matrix_market invalid_bad_banner", "%%__BadBanner matrix coordinate real general\n4 4 0\n", 1, "banner"},
    {"fast_matrix_market invalid_bad_banner_2", "%%Matrix Market matrix coordinate real general\n4 4 0\n", 1,
     "banner"},
    {"fast_matrix_market invalid_bad_object", "%%MatrixMarket ___ coordinate real general\n4 4 0\n", 1,
     "object word '___'"},
    {"fast_matrix_market invalid_symmetry_vector", "%%MatrixMarket vector coordinate real symmetric\n4 3\n1 101\n", 1,
     "'vector'"},
    {"unknown format", "%%MatrixMarket matrix sparse real general\n1 1 0\n", 1, "coordinate, array"},
    {"CHOLMOD/Demo/Matrix/mangle3.mtx", "%%MatrixMarket matrix coordinate junk general\n", 1, "field word 'junk'"},
    {"fast_matrix_market invalid_bad_symmetry", "%%MatrixMarket matrix coordinate real ___\n4 4 0\n", 1, "'___'"},
    {"fortran-lang/stdlib#1108", "%%MatrixMarket matrix coordinate real\n3 3 1\n1 1 2\n", 1, "no symmetry word"},
    {"fast_matrix_market invalid_truncated_header_2", "%%MatrixMarket matrix array real", 1, "no symmetry word"},
    {"only the first word", "%%MatrixMarket\n", 1, "no object word"},
    {"sixth word", "%%MatrixMarket matrix coordinate real general extra\n1 1 0\n", 1, "'extra'"},
    {"pattern array", "%%MatrixMarket matrix array pattern general\n1 1\n", 1, "pattern"},
    {"skew pattern", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1, "skew-symmetric"},
    {"real hermitian", "%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, "hermitian"},
    {"JuliaSparse/MatrixMarket.jl#6", "%%MatrixMarket matrix coordinate complex hermitian\n1 1 1\n1 1 4 0\n", 1,
     "complex"},
    {"byte order mark", "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, "byte order mark"},
    {"UTF-16", std::string("\xff\xfe%\0%\0M\0", 8), 1, "UTF-16"},
    {"gzip", "\x1f\x8b\x08", 1, "gzip"},
    {"unprintable", "\x01\x02\x03\n", 1, "found '?"},
    // ---- size line
    {"no size line", general + "% nothing more\n", 2, "before its size line"},
    {"banner alone", "%%MatrixMarket matrix coordinate real general", 1, "before its size line"},
    {"ORNL/HeCBench#318", general + "3 ^ 3\n1 1 2\n", 2, "columns expected, found '^'"},
    {"fast_matrix_market invalid_dimensions_out_of_range_2", general + "% c\n3 -3 3\n1 1 1\n", 3, "columns is -3"},
    {"two numbers", general + "3 3\n1 1 2\n", 2, "2 numbers found, 3 expected"},
    {"array with three numbers", "%%MatrixMarket matrix array real general\n1 1 1\n1\n", 2, "2 expected"},
    {"fraction", general + "3 3.5 1\n1 1 2\n", 2, "'3.5'"},
    {"beyond 64 bits", general + "99999999999999999999 1 1\n1 1 2\n", 2, "64 bits"},
    {"not square", "%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 2\n", 2, "square"},
    {"hpcg-benchmark/hpcg#66", general + "1000000 1000000 3000000000\n1 1 1\n2 2 1\n", 2, "3000000000"},
    {"entries at the edge of 64 bits", general + "3 3 9223372036854775807\n1 1 1\n", 2, "9223372036854775807"},
    {"array too large", "%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n", 2, "too large"},
    {"symmetric array too large",
     "%%MatrixMarket matrix array real symmetric\n9223372036854775807 9223372036854775807\n1\n", 2, "too large"},
    {"keys beyond 64 bits", general + "4 9223372036854775807 0\n", 2, "too large"},
    // ---- entries
    {"ORNL/HeCBench#318, zero-based", general + "3 3 3\n0 0 2\n1 1 2\n2 2 2\n", 3, "one-based"},
    {"fast_matrix_market invalid_indices_out_of_range_1", general + "7 7 3\n2 1 1\n4 1 1\n5000 2 1\n", 5,
     "row index 5000"},
    {"fast_matrix_market invalid_indices_out_of_range_6", general + "7 7 3\n2 1 1\n7 -2 1\n4 1 1\n", 4,
     "column index -2"},
    {"index beyond 64 bits", general + "7 7 1\n2 99999999999999999999 1\n", 3, "64 bits"},
    {"t-fdp data/mesh3e1.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n9 9 2\n1 0 1\n2 1 1\n", 3,
     "one-based"},
    {"pattern with values", "%%MatrixMarket matrix coordinate pattern general\n9 9 2\n1 2 1\n2 1 1\n", 3, "pattern"},
    {"LAGraph mangled11", general + "3 4 3\n1 zero pi\n2 2 forty-two\n3 3 seven\n", 3, "'zero'"},
    {"LAGraph mangled12", general + "3 4 2\n1 1\n2 2 forty-two\n", 3, "ends too early"},
    {"junk value", general + "3 4 2\n1 1 1.0\n2 2 forty-two\n", 4, "'forty-two'"},
    {"value with a tail", general + "3 4 1\n1 1 1.0x\n", 3, "'1.0x'"},
    {"comma", general + "3 4 1\n1 1 1,5\n", 3, "'1,5'"},
    {"index with a tail", general + "3 4 1\n1.0 1 1\n", 3, "'1.0'"},
    {"LAGraph mangled15", "%%MatrixMarket matrix array real general\n2 1\n.646 .959\n.709 .340\n", 3,
     "'.959' follows"},
    {"second entry on a line", general + "3 4 1\n1 1 1 2\n", 3, "'2' follows"},
    {"not a number", general + "3 4 2\n1 1 1\n1 2 nan\n", 4, "'nan' is not a finite number"},
    {"infinite", general + "3 4 2\n1 1 1\n1 2 -Infinity\n", 4, "finite"},
    {"duplicates that overflow", general + "3 4 3\n1 1 1\n2 3 1e308\n2 3 1e308\n", 0, "entry (2, 3)"},
    {"overflow", general + "3 4 2\n1 1 1\n1 2 1e400\n", 4, "finite"},
    {"fraction in an integer file", "%%MatrixMarket matrix coordinate integer general\n3 4 1\n1 1 1.5\n", 3,
     "integer"},
    {"skew diagonal", "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 1\n2 2 4\n", 4, "(2, 2)"},
    {"both triangles", "%%MatrixMarket matrix coordinate real symmetric\n3 3 4\n2 1 1\n1 1 4\n% c\n1 2 1\n2 2 4\n", 6,
     "line 3"},
    {"carriage returns alone", general + "1 1 1\n1 1 1\r1 1 2\r", 3, "Unix line ends"},
    {"unprintable in an entry", general + "3 4 2\n1 1 1\n1 2 \x01\x7f\xc3\n", 4, "'\\x01\\x7f\\xc3'"},
    {"zero byte", general + "3 4 1\n" + std::string("1 1\0 1\n", 7), 3, "'1\\x00'"},
    // ---- counts
    {"fewer entries", general + "3 4 3\n1 1 3.0\n2 2 3.4000\n", 2, "announces 3 entries, but only 2 follow"},
    {"alugowski/fast_matrix_market#10", general + "3 3 3\n1 1 2\n2 2 2\n% c\n3 3 2\n1 3 -1\n3 1 -1\n", 7,
     "first extra"},
    {"fewer values", "%%MatrixMarket matrix array real general\n3 1\n1.00\n2.00\n", 2,
     "announces 3 values, but only 2"},
    {"more values", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n3\n", 5, "first extra"},
    {"scipy/scipy#7836, skew with diagonal",
     "%%MatrixMarket matrix array real skew-symmetric\n3 3\n0\n3\n-5\n0\n7\n0\n", 6, "announces 3, 6 follow"},
    {"no rows, one entry", general + "0 0 1\n1 1 1\n", 3, "out of range"},
};

TEST(MatrixMarketErrors, NameFileLineAndFault) {
  for (const Bad& bad : bad_files) {
    const std::string alone = test::error_of_text(bad.text, 1);
    const std::string place = bad.line ? "test.mtx:" + std::to_string(bad.line) + ": " : "test.mtx: ";
    EXPECT_TRUE(alone.starts_with(place)) << bad.what << ": " << alone;
    EXPECT_NE(alone.find(bad.words), std::string::npos) << bad.what << ": " << alone;
    for (const char c : alone) EXPECT_TRUE(c >= 32 && c < 127) << bad.what << ": " << alone;
  }
}

TEST(MatrixMarketErrors, AreTheSameOnAllRanksAndForAnyNumberOfThem) {
  for (const Bad& bad : bad_files) {
    if (std::string(bad.what) == "keys beyond 64 bits") continue; // depends on the rows of a rank
    const std::string alone = test::error_of_text(bad.text, 1);
    for (const int ranks : {2, 3, 7}) EXPECT_EQ(test::error_of_text(bad.text, ranks), alone) << bad.what;
  }
}

// mfem/mfem#3601: sizes beyond 2^31 - 1
TEST(MatrixMarketErrors, NamesTheLimitOfRowsOnARank) {
  const std::string alone = test::error_of_text(general + "3000000000 3000000000 1\n2999999999 3000000000 1\n", 1);
  EXPECT_NE(alone.find("3000000000 rows on a rank, the limit is 2147483647; use at least 2 ranks"), std::string::npos)
      << alone;
}

} // namespace
} // namespace atl
