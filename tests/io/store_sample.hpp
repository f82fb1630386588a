#pragma once
/// A random matrix cut at random, for tests of the store: every rank can say what any row of it must be.

#include <atoll/io/store.hpp>

#include "support/random_matrix.hpp"

#include <string>
#include <vector>

namespace atl::test {

struct StoreSample {
  RandomMatrix matrix;
  std::vector<GlobalIndex> ranges;   ///< parts + 1
  std::vector<GlobalIndex> original; ///< of each global row, a random permutation
  std::vector<GlobalIndex> global;   ///< of each original row

  /// Some parts may be empty.
  StoreSample(const RandomMatrix& matrix, int parts, std::uint64_t seed);
  int parts() const { return static_cast<int>(ranges.size()) - 1; }

  /// Rows [begin, end) in global numbering; columns too where the matrix is square.
  template <class T>
  RowBlock<T> rows(GlobalIndex begin, GlobalIndex end) const;
  Numbering numbering(GlobalIndex begin, GlobalIndex end) const;
};

/// The first difference in words, empty where there is none.
template <class T>
std::string difference(const RowBlock<T>& found, const RowBlock<T>& expected);

/// A folder that every rank of `comm` knows, and that is removed with what it holds when all ranks have ended
/// their use of it. Construction and destruction are collective.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(CommunicatorPtr comm);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  /// Names of what lies in it.
  std::vector<std::string> list() const;

 private:
  CommunicatorPtr comm_;
  std::string path_;
};

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

} // namespace atl::test
