#include "bench_kernels.hpp"
#include "roofline_traffic.hpp"

#include <atoll/core/kernels.hpp>

#include <fmt/format.h>

namespace atl::app {

namespace {

constexpr std::pair<StorageWish, const char*> wishes[] = {{StorageWish::least_bytes, "least_bytes"},
                                                          {StorageWish::csr, "csr"},
                                                          {StorageWish::sell, "sell"},
                                                          {StorageWish::stencil, "stencil"},
                                                          {StorageWish::block, "block"}};
constexpr StorageForm forms[] = {StorageForm::csr, StorageForm::sell, StorageForm::stencil, StorageForm::block};

/// "stencil 98 %, csr 2 %" of the entries, over all ranks; those of ghost columns are kept in plain rows.
template <class T>
std::string stored_as(const DSparseMatrix<T>& a) {
  double entries[std::size(forms)] = {};
  if (a.packed()) {
    for (std::size_t f = 0; f < std::size(forms); ++f)
      entries[f] = static_cast<double>(a.split().owned.entries_in(forms[f]));
    entries[0] += static_cast<double>(a.split().halo.entries());
  } else {
    entries[0] = static_cast<double>(a.local().entries());
  }
  a.context().comm->all_reduce(std::span<double>(entries), ReduceOp::sum);

  std::string text;
  for (std::size_t f = 0; f < std::size(forms); ++f)
    if (entries[f] > 0)
      text += fmt::format("{}{} {:.3g} %", text.empty() ? "" : ", ", to_string(forms[f]),
                          100 * entries[f] / static_cast<double>(a.entries()));
  return text;
}

/// Two blocks of k vectors take no more than a quarter of what each machine has left.
template <class T>
bool fits(const Context& context, const DSparseMatrix<T>& a, LocalIndex k) {
  const double mine = bytes_of_values<T>(Offset{a.row_map()->n_owned() + a.col_map()->n_owned()} * k);
  const double available = static_cast<double>(least_available_bytes(context));
  return context.comm->all_reduce(mine * ranks_of_machine(), ReduceOp::max) <= available / 4;
}

template <class T>
void bench_product(BenchMeter& meter, const BenchRow& row, const DSparseMatrix<T>& a) {
  DVector<T> x = a.make_col_vector(row.columns), y = a.make_row_vector(row.columns);
  x.fill(T{1});
  meter.stream(row, product_traffic(a, row.columns), [&] { a.multiply(x, y); });
}

template <class T>
void bench_residual(BenchMeter& meter, const BenchRow& row, const DSparseMatrix<T>& a) {
  DVector<T> x = a.make_col_vector(), b = a.make_row_vector(), r = a.make_row_vector();
  x.fill(T{1});
  Traffic traffic = product_traffic(a, 1);
  traffic.read += bytes_of_values<T>(a.row_map()->n_owned());
  meter.stream(row, traffic, [&] { a.residual(x, b, r); });
}

/// The same matrix stored otherwise.
template <class T>
DSparseMatrix<T> stored_again(const DSparseMatrix<T>& a, StorageWish wish) {
  return DSparseMatrix<T>::from_rows(a.context(), a.to_rows(), a.col_map()->n_owned(), {.storage = wish});
}

} // namespace

template <class T>
void bench_products(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a) {
  BenchRow row{
      .kernel = "product", .matrix = name, .storage = a.packed() ? wishes[0].second : "csr", .stored = stored_as(a)};
  for (const LocalIndex k : {1, 4, 8, 16}) {
    row.columns = k;
    if (fits(meter.context(), a, k))
      bench_product(meter, row, a);
    else
      meter.skip(1);
  }
  row.kernel = "residual";
  row.columns = 1;
  bench_residual(meter, row, a);

  row.kernel = "product";
  for (const auto& [wish, word] : std::span(wishes).subspan(1)) {
    if (!a.packed()) {
      meter.skip(1);
      continue;
    }
    const DSparseMatrix<T> other = stored_again(a, wish);
    row.storage = word;
    row.stored = stored_as(other);
    bench_product(meter, row, other);
  }
}

template <class T>
void bench_vectors(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a) {
  using Scalar = Accumulator<T>;
  auto& kernels = meter.context().executor->template kernels<T>();
  std::vector<DVector<T>> v;
  for (int i = 0; i < 10; ++i) v.push_back(a.make_row_vector());
  for (DVector<T>& vector : v) vector.fill(T{1});
  const Scalar scalars[] = {1e-6, 0.5};
  Array<Scalar> factors(meter.context().executor, std::span(scalars)), sums(meter.context().executor, 3);
  const Scalar *alpha = factors.data(), *beta = alpha + 1;
  const Offset n = v[0].owned_size();
  const double one = bytes_of_values<T>(n);
  const auto measure = [&](const char* kernel, const Traffic& traffic, const std::function<void()>& work) {
    meter.stream({.kernel = kernel, .matrix = name}, traffic, work);
  };

  measure("axpy", {.read = 2 * one, .updated = one}, [&] { kernels.axpy(n, alpha, v[0].data(), v[1].data()); });
  measure("xpby", {.read = 2 * one, .updated = one}, [&] { kernels.xpby(n, v[0].data(), beta, v[1].data()); });
  measure("pointwise_multiply", {.read = 2 * one, .written = one},
          [&] { kernels.pointwise_multiply(n, v[0].data(), v[1].data(), v[2].data()); });
  measure("cg_update", {.read = 6 * one, .updated = 4 * one}, [&] {
    kernels.cg_update(n, alpha, beta, v[0].data(), v[1].data(), v[2].data(), v[3].data(), v[4].data(), v[5].data());
  });
  const PipelinedVectors<T> pipelined{v[0].data(), v[1].data(), v[2].data(), v[3].data(), v[4].data(),
                                      v[5].data(), v[6].data(), v[7].data(), v[8].data(), v[9].data()};
  measure("cg_pipelined_update", {.read = 10 * one, .updated = 8 * one},
          [&] { kernels.cg_pipelined_update(n, alpha, beta, pipelined, sums.data()); });
  const T *r = v[0].data(), *u = v[1].data(), *w = v[2].data();
  const DotPair<T> pairs[] = {{r, u}, {r, r}, {w, u}};
  measure("dot", {.read = 2 * one}, [&] { kernels.dots(n, std::span(pairs).first(1), sums.data()); });
  measure("dots of 3 pairs", {.read = 3 * one}, [&] { kernels.dots(n, pairs, sums.data()); });
}

template <class T>
void bench_messages(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a) {
  const Context& context = meter.context();
  if (context.size() == 1) return meter.skip(bench_rows_of_messages);
  const HaloPlan& plan = *a.plan();
  const Offset sent = plan.n_send();
  DVector<T> x = a.make_col_vector();
  x.fill(T{1});
  const Array<LocalIndex> index(context.executor, plan.send_index());
  Array<T> buffer(context.executor, sent);
  auto& kernels = context.executor->template kernels<T>();
  const double bytes = bytes_of_values<T>(sent);

  meter.latency({.kernel = "halo pack", .matrix = name},
                {.read = bytes + static_cast<double>(sent) * sizeof(LocalIndex), .written = bytes},
                [&] { kernels.gather(sent, index.data(), 1, x.data(), buffer.data()); });
  meter.latency({.kernel = "halo exchange", .matrix = name}, {.read = bytes}, [&] { a.halo().forward(x); });
  double four[4] = {};
  meter.latency({.kernel = "all-reduce of 4", .matrix = name}, {.read = sizeof four},
                [&] { context.comm->all_reduce(std::span<double>(four), ReduceOp::sum); });
}

template void bench_products(BenchMeter&, const std::string&, const DSparseMatrix<float>&);
template void bench_products(BenchMeter&, const std::string&, const DSparseMatrix<double>&);
template void bench_vectors(BenchMeter&, const std::string&, const DSparseMatrix<float>&);
template void bench_vectors(BenchMeter&, const std::string&, const DSparseMatrix<double>&);
template void bench_messages(BenchMeter&, const std::string&, const DSparseMatrix<float>&);
template void bench_messages(BenchMeter&, const std::string&, const DSparseMatrix<double>&);

} // namespace atl::app
