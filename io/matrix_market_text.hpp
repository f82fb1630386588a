#pragma once
/// Private to io: what single lines of a Matrix Market file say. Errors are Error{bad_input} without place;
/// whoever counts the lines adds it.

#include <atoll/io/line_range.hpp>
#include <atoll/io/matrix_market.hpp>

#include <string>
#include <string_view>

namespace atl {

/// One entry with indices from 0.
struct MatrixMarketEntry {
  GlobalIndex row = 0;
  GlobalIndex column = 0;
  double value = 1;
  bool vanished = false; ///< the text says a number other than zero, too small for a double
};
/// A value of an array file.
struct MatrixMarketValue {
  double value = 0;
  bool vanished = false;
};

/// Only blanks, or a comment.
bool is_idle(const Line& line);
/// An entry line of a coordinate file.
MatrixMarketEntry parse_entry(const Line& line, const MatrixMarketHeader& header);
/// A value line of an array file.
MatrixMarketValue parse_value(const Line& line, const MatrixMarketHeader& header);

/// Fills layout, field and symmetry from the first line of the file.
void parse_banner(const Line& line, MatrixMarketHeader& header);
/// Fills rows, cols and entries from the size line.
void parse_sizes(const Line& line, MatrixMarketHeader& header);
/// The head of a text named `name` (for errors).
ATOLL_API MatrixMarketHeader parse_matrix_market_header(const ByteSource& bytes, const std::string& name);

/// "name:line", as errors spell a place.
std::string place(const std::string& name, Offset line);

} // namespace atl
