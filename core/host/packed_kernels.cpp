#include <atoll/core/host/host_kernels.hpp>
#include <atoll/core/host/packed_loops.hpp>
#include <atoll/core/host/parallel.hpp>

#include <array>
#include <mutex>

namespace atl {

namespace {

using host::ChunkScale;
using host::packed_loops;
using host::PackedLoops;

/// The values of a chunk's rows while they are in the cache; slices may write up to a slice beyond.
template <class T>
using ChunkBuffer = std::array<T, PackedMatrix<T>::chunk_rows + PackedMatrix<T>::slice_rows>;

/// work(chunk) for all chunks, each thread a run of them.
template <class T, class Work>
void over_chunks(int threads, const PackedMatrix<T>& a, const Work& work) {
  const Offset chunks = std::ssize(a.chunks());
  host::on_threads(threads, a.rows(), [&](int part, int parts) {
    for (Offset c = chunks * part / parts; c < chunks * (part + 1) / parts; ++c) work(static_cast<std::size_t>(c));
  });
}

/// Whether a product writes nothing but the chunk's rows.
bool keeps_inside(const PackedChunk& chunk) {
  return chunk.form != StorageForm::sell || (!chunk.permuted && chunk.rows % PackedMatrix<double>::slice_rows == 0);
}

template <class T>
ChunkScale<T> scale_of(const CgSweep<T>& s, std::size_t c) {
  const T uniform = s.uniform[c];
  return uniform != T{0} ? ChunkScale<T>{uniform, nullptr} : ChunkScale<T>{T{1}, s.d + s.a->owned.chunks()[c].first};
}

/// Held while a thread adds its exact sums to those of all. A named critical region would be a symbol that the library
/// shows.
std::mutex handing_over;

/// At most 1024 terms; they are used up.
template <class T>
void add_exactly(const PackedLoops<T>& loops, LocalIndex n, double* terms, ExactSum& sum) {
  double levels[host::most_levels];
  bool rest = false;
  const int count = loops.exact_levels(n, terms, levels, &rest);
  for (int l = 0; l < count; ++l) sum.add(levels[l]);
  if (!rest) return;
  for (LocalIndex i = 0; i < n; ++i)
    if (terms[i] != 0) sum.add(terms[i]);
}

/// The pieces of a sweep on one chunk.
template <class T>
class SweepChunk {
 public:
  SweepChunk(CgSweep<T>& s, double alpha, double beta)
      : s_(s), halo_(s.a->halo.view()), loops_(packed_loops<T>()), alpha_(alpha), beta_(beta) {}

  void direction(std::size_t c) {
    const PackedChunk& chunk = s_.a->owned.chunks()[c];
    loops_.direction(chunk.rows, beta_, s_.u + chunk.first, s_.p + chunk.first);
  }

  void step(std::size_t c) {
    const PackedView<T> a = s_.a->owned.view(c);
    const LocalIndex first = a.chunk.first;
    loops_.product(a, s_.p, product_.data());
    for (LocalIndex r = s_.a->halo_begin[c]; r < s_.a->halo_begin[c + 1]; ++r)
      product_[static_cast<std::size_t>(halo_.row_index[r] - first)] += halo_row(r, s_.p);
    loops_.step(a.chunk.rows, alpha_, scale_of(s_, c), product_.data(), s_.p + first, s_.u + first, s_.x + first);
  }

  void dots(std::size_t c) {
    const PackedView<T> a = s_.a->owned.view(c);
    loops_.product(a, s_.u, product_.data());
    if (s_.exact) return exact_dots(c);
    loops_.dots(a.chunk.rows, scale_of(s_, c), product_.data(), s_.u + a.chunk.first, s_.partial.data() + 3 * c);
  }

  void run(const std::vector<SweepPlan::Task>& tasks) {
    for (const SweepPlan::Task& task : tasks) switch (task.stage) {
      case SweepPlan::Stage::direction:
        direction(task.chunk);
        break;
      case SweepPlan::Stage::step:
        step(task.chunk);
        break;
      case SweepPlan::Stage::dots:
        dots(task.chunk);
      }
  }

  /// The dots of this thread's chunks to those of the others; digits may be added in any order.
  void hand_over() {
    if (!s_.exact) return;
    const std::lock_guard lock(handing_over);
    for (std::size_t i = 0; i < 3; ++i) s_.exact[i].add(exact_[i]);
  }

  T halo_row(LocalIndex r, const T* x) const {
    T sum = 0;
    for (Offset e = halo_.row_begin[r]; e < halo_.row_begin[r + 1]; ++e) sum += halo_.value[e] * x[halo_.column[e]];
    return sum;
  }

 private:
  void exact_dots(std::size_t c) {
    const PackedChunk& chunk = s_.a->owned.chunks()[c];
    std::array<double, 3 * PackedMatrix<T>::chunk_rows> terms;
    loops_.dot_terms(chunk.rows, scale_of(s_, c), product_.data(), s_.u + chunk.first, terms.data());
    for (std::size_t i = 0; i < 3; ++i) add_exactly(loops_, chunk.rows, terms.data() + i * chunk.rows, exact_[i]);
  }

  CgSweep<T>& s_;
  const CsrView<T> halo_;
  const PackedLoops<T>& loops_;
  double alpha_, beta_;
  ChunkBuffer<T> product_{};
  std::array<ExactSum, 3> exact_;
};

} // namespace

// reads 2 t
template <class T>
void HostPackedKernels<T>::exact_dot(Offset n, const T* x, const T* y, ExactSum& sum) {
  constexpr Offset piece = PackedMatrix<T>::chunk_rows;
  const PackedLoops<T>& loops = packed_loops<T>();
  host::over_range(threads(), (n + piece - 1) / piece, [&](Offset first, Offset last) {
    ExactSum mine;
    std::array<double, PackedMatrix<T>::chunk_rows> terms;
    for (Offset at = first * piece; at < std::min(n, last * piece); at += piece) {
      const auto count = static_cast<LocalIndex>(std::min(piece, n - at));
      loops.products(count, x + at, y + at, terms.data());
      add_exactly(loops, count, terms.data(), mine);
    }
    const std::lock_guard lock(handing_over);
    sum.add(mine);
  });
}

// reads the chunks and k t a column, writes k t a row
template <class T>
void HostPackedKernels<T>::packed_multiply(const PackedMatrix<T>& a, LocalIndex k, const T* x, T* y) {
  const PackedLoops<T>& loops = packed_loops<T>();
  if (k != 1)
    return over_chunks(threads(), a, [&](std::size_t c) {
      loops.product_columns(a.view(c), k, x, y + Offset{a.chunks()[c].first} * k);
    });
  over_chunks(threads(), a, [&](std::size_t c) {
    const PackedChunk& chunk = a.chunks()[c];
    if (keeps_inside(chunk)) return loops.product(a.view(c), x, y + chunk.first);
    ChunkBuffer<T> product;
    loops.product(a.view(c), x, product.data());
    std::copy_n(product.data(), chunk.rows, y + chunk.first);
  });
}

// reads the chunks, t a column and t a row, writes t a row
template <class T>
void HostPackedKernels<T>::packed_residual(const PackedMatrix<T>& a, const T* x, const T* b, T* r) {
  const PackedLoops<T>& loops = packed_loops<T>();
  over_chunks(threads(), a, [&](std::size_t c) {
    const PackedChunk& chunk = a.chunks()[c];
    ChunkBuffer<double> product;
    loops.accurate_product(a.view(c), x, product.data());
    for (LocalIndex i = 0; i < chunk.rows; ++i)
      r[chunk.first + i] = static_cast<T>(b[chunk.first + i] - product[static_cast<std::size_t>(i)]);
  });
}

// reads and writes 3 t a row, reads the chunks once where the fronts' rows stay in the cache, and d where it varies
template <class T>
void HostPackedKernels<T>::cg_sweep(CgSweep<T>& s, LocalIndex ghosts, const Scalar* alpha, const Scalar* beta) {
  const LocalIndex owned = s.a->owned.rows();
  packed_loops<T>().direction(ghosts, *beta, s.u + owned, s.p + owned);
  const std::span<const SweepPlan::Thread> plans = s.plan.threads();
  if (plans.size() == 1) {
    SweepChunk<T> chunk(s, *alpha, *beta);
    chunk.run(plans[0].first);
    return chunk.hand_over();
  }
  const auto team = static_cast<int>(plans.size());
#pragma omp parallel num_threads(team)
  {
    SweepChunk<T> chunk(s, *alpha, *beta);
    // A smaller team than asked for takes several runs of chunks each.
    for (std::size_t t = static_cast<std::size_t>(omp_get_thread_num()); t < plans.size(); t += omp_get_num_threads())
      chunk.run(plans[t].first);
#pragma omp barrier
    for (std::size_t t = static_cast<std::size_t>(omp_get_thread_num()); t < plans.size(); t += omp_get_num_threads())
      chunk.run(plans[t].second);
    chunk.hand_over();
  }
}

template <class T>
void HostPackedKernels<T>::cg_sweep_dots(CgSweep<T>& s, bool all) {
  if (all)
    return over_chunks(threads(), s.a->owned, [&](std::size_t c) {
      SweepChunk<T> chunk(s, 0, 0);
      chunk.dots(c);
      chunk.hand_over();
    });
  const std::span<const SweepPlan::Thread> plans = s.plan.threads();
  host::on_threads(static_cast<int>(plans.size()), s.a->owned.rows(), [&](int part, int parts) {
    SweepChunk<T> chunk(s, 0, 0);
    for (std::size_t t = static_cast<std::size_t>(part); t < plans.size(); t += static_cast<std::size_t>(parts))
      chunk.run(plans[t].third);
    chunk.hand_over();
  });
}

template <class T>
void HostPackedKernels<T>::cg_sweep_finish(CgSweep<T>& s, Scalar* out) {
  if (s.exact) {
    const SweepChunk<T> rows(s, 0, 0);
    const CsrView<T> halo = s.a->halo.view();
    for (LocalIndex r = 0; r < halo.rows; ++r)
      s.exact[2].add(double{rows.halo_row(r, s.u)} * double{s.u[halo.row_index[r]]});
    return;
  }
  double sums[3] = {};
  for (std::size_t i = 0; i < s.partial.size(); ++i) sums[i % 3] += s.partial[i];
  const SweepChunk<T> chunk(s, 0, 0);
  const CsrView<T> halo = s.a->halo.view();
  for (LocalIndex r = 0; r < halo.rows; ++r)
    sums[2] += double{chunk.halo_row(r, s.u)} * double{s.u[halo.row_index[r]]};
  std::copy_n(sums, 3, out);
}

template class HostPackedKernels<float>;
template class HostPackedKernels<double>;

} // namespace atl
