#include "store_sample.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <unistd.h>

namespace atl::test {

StoreSample::StoreSample(const RandomMatrix& spec, int parts, std::uint64_t seed)
    : matrix(spec), ranges(random_ranges(spec.rows, parts, seed)), original(static_cast<std::size_t>(spec.rows)),
      global(static_cast<std::size_t>(spec.rows)) {
  std::iota(original.begin(), original.end(), GlobalIndex{0});
  Random random(seed);
  for (std::size_t i = original.size(); i > 1; --i)
    std::swap(original[i - 1], original[static_cast<std::size_t>(random.below(static_cast<GlobalIndex>(i)))]);
  for (std::size_t i = 0; i < original.size(); ++i)
    global[static_cast<std::size_t>(original[i])] = static_cast<GlobalIndex>(i);
}

template <class T>
RowBlock<T> StoreSample::rows(GlobalIndex begin, GlobalIndex end) const {
  RowBlock<T> block;
  block.n_rows = matrix.rows;
  block.n_cols = matrix.cols;
  block.row_begin = begin;
  for (GlobalIndex i = begin; i < end; ++i) {
    const GlobalIndex o = original[static_cast<std::size_t>(i)];
    const RowBlock<T> row = random_rows<T>(matrix, o, o + 1);
    for (Offset k = 0; k < row.entries(); ++k) {
      const GlobalIndex column = row.column[static_cast<std::size_t>(k)];
      block.column.push_back(matrix.rows == matrix.cols ? global[static_cast<std::size_t>(column)] : column);
      block.value.push_back(row.value[static_cast<std::size_t>(k)]);
    }
    block.offsets.push_back(block.entries());
  }
  sort_rows(block);
  return block;
}

Numbering StoreSample::numbering(GlobalIndex begin, GlobalIndex end) const {
  Numbering numbering;
  numbering.n = matrix.rows;
  numbering.owned_begin = begin;
  numbering.owned_count = static_cast<LocalIndex>(end - begin);
  numbering.original_index.assign(original.begin() + begin, original.begin() + end);
  return numbering;
}

template <class T>
std::string difference(const RowBlock<T>& found, const RowBlock<T>& expected) {
  if (found.n_rows != expected.n_rows || found.n_cols != expected.n_cols)
    return "shape " + std::to_string(found.n_rows) + " x " + std::to_string(found.n_cols);
  if (found.row_begin != expected.row_begin) return "first row " + std::to_string(found.row_begin);
  if (found.offsets != expected.offsets) return "row pointers";
  if (found.column != expected.column) return "columns";
  if (found.value != expected.value) return "values";
  return "";
}

TemporaryFolder::TemporaryFolder(CommunicatorPtr comm) : comm_(std::move(comm)) {
  if (comm_->rank() == 0) {
    std::string name = (std::filesystem::temp_directory_path() / "atoll-store-XXXXXX").string();
    if (::mkdtemp(name.data())) path_ = name;
  }
  path_ = comm_->broadcast(path_, 0);
}

TemporaryFolder::~TemporaryFolder() {
  try {
    comm_->barrier();
  } catch (const Error&) { // the test has failed and says so
  }
  std::error_code ignored;
  if (comm_->rank() == 0 && !path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::vector<std::string> TemporaryFolder::list() const {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

template RowBlock<float> StoreSample::rows<float>(GlobalIndex, GlobalIndex) const;
template RowBlock<double> StoreSample::rows<double>(GlobalIndex, GlobalIndex) const;
template std::string difference<float>(const RowBlock<float>&, const RowBlock<float>&);
template std::string difference<double>(const RowBlock<double>&, const RowBlock<double>&);

} // namespace atl::test
