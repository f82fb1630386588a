#include "vectors.hpp"

#include "summary.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/io/file_bytes.hpp>
#include <atoll/io/model_problem.hpp>
#include <atoll/io/store.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

namespace atl::app {

namespace {

struct Ending {
  const char* ending;
  OutputFormat format;
};
constexpr Ending known_endings[] = {{".mtx", OutputFormat::matrix_market},
                                    {".h5", OutputFormat::store},
                                    {".hdf5", OutputFormat::store},
                                    {".txt", OutputFormat::text}};

bool contains(std::initializer_list<OutputFormat> allowed, OutputFormat format) {
  return std::find(allowed.begin(), allowed.end(), format) != allowed.end();
}

bool is_store_name(const std::string& path) { return path.ends_with(".h5") || path.ends_with(".hdf5"); }

} // namespace

OutputFormat output_format(const std::string& path, std::initializer_list<OutputFormat> allowed) {
  std::string names;
  for (const Ending& known : known_endings) {
    if (!contains(allowed, known.format)) continue;
    if (path.size() > std::strlen(known.ending) && path.ends_with(known.ending)) return known.format;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", known.ending);
  }
  throw Error(ErrorKind::usage,
              fmt::format("the name of the output file says its format, and must end in one of: {}", names), path);
}

namespace {

void require_writable_here(const std::string& path) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::environment, fmt::format("cannot write the output file: {}", why), path);
  };
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) fail("it is a folder");
    if (!S_ISREG(status.st_mode)) return;
  }
  const auto slash = path.rfind('/');
  const std::string folder = slash == path.npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  if (::stat(folder.c_str(), &status) != 0) fail(fmt::format("folder {}: {}", folder, std::strerror(errno)));
  if (!S_ISDIR(status.st_mode)) fail(fmt::format("{} is not a folder", folder));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) fail(fmt::format("folder {}: {}", folder, std::strerror(errno)));
}

} // namespace

void require_writable(const Context& context, const std::string& path) {
  if (path.empty()) return;
  agree(*context.comm, [&] {
    if (context.rank() == 0) require_writable_here(path);
  });
}

template <class T>
DenseSlab<T> read_slab(const Context& context, const std::string& path) {
  if (file_kind(*context.comm, path) != FileKind::hdf5) return read_dense_matrix_market<T>(context, path);
  DenseSlab<T> slab;
  slab.values = read_dense_store<T>(context, path, slab.rows, slab.cols);
  return slab;
}

bool is_vector_file(const Context& context, const std::string& path) {
  if (is_model_problem(path)) return false;
  const FileKind kind = file_kind(*context.comm, path);
  if (kind == FileKind::hdf5) {
    const StoreContents contents = store_contents(context, path);
    return contents.vector && !contents.matrix;
  }
  if (kind != FileKind::matrix_market) return false;
  const MatrixMarketHeader header = read_matrix_market_header(*context.comm, path);
  return header.layout == MatrixMarketHeader::Layout::array && header.rows != header.cols;
}

template <class T>
DVector<T> read_vector(const Context& context, const std::string& path, const IndexMapPtr& map,
                       const Numbering& numbering, LocalIndex columns) {
  const DenseSlab<T> slab = read_slab<T>(context, path);
  if (slab.rows != map->global_size())
    throw Error(ErrorKind::bad_input,
                fmt::format("the vector has {}, but the matrix needs {}", counted(slab.rows, "row"),
                            readable(map->global_size())),
                path);
  if (columns > 0 && slab.cols != columns)
    throw Error(ErrorKind::bad_input,
                fmt::format("the vector has {}, but {} is expected", counted(slab.cols, "column"), columns), path);
  if (const auto bad = count_not_finite<T>(context, slab.values))
    throw Error(ErrorKind::bad_input,
                fmt::format("{} not finite", bad == 1 ? "1 value is" : readable(bad) + " values are"), path);

  DVector<T> vector(context, map, slab.cols);
  vector.set_owned(from_original<T>(context, numbering, slab.values, slab.cols));
  return vector;
}

template <class T>
void write_vector(const Context& context, const std::string& path, const DVector<T>& vector,
                  const Numbering& numbering) {
  DenseSlab<T> slab{vector.map()->global_size(), vector.columns(), {}};
  slab.values = to_original<T>(context, numbering, vector.owned_to_host(), vector.columns());
  if (is_store_name(path))
    write_dense_store<T>(context, path, slab.rows, slab.cols, slab.values);
  else
    write_dense_matrix_market<T>(context, path, slab);
}

template <class T>
std::int64_t count_not_finite(const Context& context, std::span<const T> values) {
  const std::int64_t bad = std::count_if(values.begin(), values.end(), [](T v) { return !std::isfinite(v); });
  return context.comm->all_reduce(bad, ReduceOp::sum);
}

template DVector<float> read_vector(const Context&, const std::string&, const IndexMapPtr&, const Numbering&,
                                    LocalIndex);
template DVector<double> read_vector(const Context&, const std::string&, const IndexMapPtr&, const Numbering&,
                                     LocalIndex);
template void write_vector(const Context&, const std::string&, const DVector<float>&, const Numbering&);
template void write_vector(const Context&, const std::string&, const DVector<double>&, const Numbering&);
template DenseSlab<float> read_slab(const Context&, const std::string&);
template DenseSlab<double> read_slab(const Context&, const std::string&);
template std::int64_t count_not_finite(const Context&, std::span<const float>);
template std::int64_t count_not_finite(const Context&, std::span<const double>);

} // namespace atl::app
