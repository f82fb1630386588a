#include "load.hpp"

#include "finite.hpp"

#include <atoll/comm/agree.hpp>
#include <atoll/io/file_bytes.hpp>
#include <atoll/io/matrix_market.hpp>

#include <unistd.h>

namespace atl::app {

Numbering slab_numbering(const Context& context, GlobalIndex n) {
  const BlockRange slabs{n, context.size()};
  Numbering numbering;
  numbering.n = n;
  numbering.owned_begin = slabs.begin(context.rank());
  numbering.owned_count = narrow<LocalIndex>(slabs.size(context.rank()));
  return numbering;
}

namespace {

/// Whether the name is taken by a file; looked up by one rank for all. Collective.
bool file_exists(Communicator& comm, const std::string& path) {
  std::int64_t exists = comm.rank() == 0 && ::access(path.c_str(), F_OK) == 0;
  return comm.all_reduce(exists, ReduceOp::max) != 0;
}

template <class T>
Loaded<T> load_model_problem(const Context& context, const std::string& spec) {
  Loaded<T> loaded;
  loaded.problem = parse_model_problem(spec);
  loaded.name = loaded.problem->name();
  loaded.format = "model problem";
  loaded.rows = generate<T>(context, *loaded.problem);
  loaded.numbering = slab_numbering(context, loaded.rows.n_rows);
  return loaded;
}

template <class T>
Loaded<T> load_store(const Context& context, const std::string& path, bool with_vectors) {
  StoredMatrix<T> stored = read_store<T>(context, path);
  Loaded<T> loaded;
  loaded.name = stored.name.empty() ? path : stored.name;
  loaded.format = "store";
  loaded.rows = std::move(stored.rows);
  loaded.numbering = std::move(stored.numbering);
  loaded.stored_parts = stored.parts;
  loaded.stored_layout = stored.same_layout;
  if (with_vectors) loaded.vectors = std::move(stored.vectors);
  return loaded;
}

template <class T>
Loaded<T> load_matrix_market(const Context& context, const std::string& path) {
  Loaded<T> loaded;
  loaded.name = path;
  loaded.format = "Matrix Market";
  loaded.rows = read_matrix_market<T>(context, path);
  loaded.numbering = slab_numbering(context, loaded.rows.n_rows);
  return loaded;
}

} // namespace

template <class T>
Loaded<T> load_matrix(const Context& context, const std::string& matrix, bool with_vectors) {
  Loaded<T> loaded =
      is_model_problem(matrix) && !file_exists(*context.comm, matrix) ? load_model_problem<T>(context, matrix)
      : file_kind(*context.comm, matrix) == FileKind::hdf5            ? load_store<T>(context, matrix, with_vectors)
                                                                      : load_matrix_market<T>(context, matrix);
  require_finite<T>(context, loaded.rows, loaded.numbering, matrix);
  return loaded;
}

template <class T>
std::optional<Coordinates> coordinates_of(const Loaded<T>& loaded) {
  if (!loaded.problem) return std::nullopt;
  return Coordinates{static_cast<int>(loaded.problem->extent.size()),
                     coordinates(*loaded.problem, loaded.rows.row_begin, loaded.rows.rows())};
}

template Loaded<float> load_matrix(const Context&, const std::string&, bool);
template Loaded<double> load_matrix(const Context&, const std::string&, bool);
template std::optional<Coordinates> coordinates_of(const Loaded<float>&);
template std::optional<Coordinates> coordinates_of(const Loaded<double>&);

} // namespace atl::app
