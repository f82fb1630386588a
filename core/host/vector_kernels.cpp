#include <atoll/core/host/host_kernels.hpp>
#include <atoll/core/host/parallel.hpp>

#include <array>
#include <cmath>
#include <cstring>

// Bytes are given for each value; t is sizeof(T). Vectors stream through memory, so a loop can be no faster
// than its bytes.

namespace atl {

using host::over_range;

// writes t
template <class T>
void HostVectorKernels<T>::fill(Offset n, T value, T* y) {
  over_range(threads_, n, [=](Offset first, Offset last) { std::fill(y + first, y + last, value); });
}

// reads t, writes t
template <class T>
void HostVectorKernels<T>::copy(Offset n, const T* x, T* y) {
  over_range(threads_, n, [=](Offset first, Offset last) {
    if (first < last) std::memmove(y + first, x + first, static_cast<std::size_t>(last - first) * sizeof(T));
  });
}

// reads t, writes t
template <class T>
void HostVectorKernels<T>::scale(Offset n, const Scalar* alpha, T* x) {
  over_range(threads_, n, [=, a = *alpha](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) x[i] = static_cast<T>(a * x[i]);
  });
}

// reads 2 t, writes t
template <class T>
void HostVectorKernels<T>::axpy(Offset n, const Scalar* alpha, const T* x, T* y) {
  over_range(threads_, n, [=, a = *alpha](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) y[i] = static_cast<T>(y[i] + a * x[i]);
  });
}

// reads 2 t, writes t
template <class T>
void HostVectorKernels<T>::xpby(Offset n, const T* x, const Scalar* beta, T* y) {
  over_range(threads_, n, [=, b = *beta](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) y[i] = static_cast<T>(x[i] + b * y[i]);
  });
}

// reads 2 t, writes t
template <class T>
void HostVectorKernels<T>::subtract(Offset n, const T* x, const T* y, T* z) {
  over_range(threads_, n, [=](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) z[i] = x[i] - y[i];
  });
}

// reads 2 t, writes t
template <class T>
void HostVectorKernels<T>::pointwise_multiply(Offset n, const T* d, const T* x, T* y) {
  over_range(threads_, n, [=](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) y[i] = d[i] * x[i];
  });
}

// reads t, writes t
template <class T>
void HostVectorKernels<T>::pointwise_inverse(Offset n, const T* d, T* y) {
  over_range(threads_, n, [=](Offset first, Offset last) {
    for (Offset i = first; i < last; ++i) {
      const T inverse = 1 / d[i];
      y[i] = std::isfinite(d[i]) && std::isfinite(inverse) ? inverse : T{1};
    }
  });
}

namespace {

constexpr Offset block = 4096;        // values summed by themselves, for accuracy and a fixed order
constexpr Offset lanes = 8;           // independent sums within a block, for SIMD
constexpr int shares = 128;           // fixed, so that the order of the sums knows nothing of threads
constexpr std::size_t most_pairs = 4; // of one call of dots()

/// The sums of up to `block` products for each of N pairs.
template <class T, std::size_t N>
std::array<Accumulator<T>, N> block_dots(Offset first, Offset last, const DotPair<T>* pairs) {
  using Scalar = Accumulator<T>;
  Scalar partial[N][lanes] = {};
  const Offset whole = first + (last - first) / lanes * lanes;
  for (Offset i = first; i < whole; i += lanes)
    for (std::size_t d = 0; d < N; ++d) {
      const T* x = pairs[d].x + i;
      const T* y = pairs[d].y + i;
#pragma omp simd
      for (Offset lane = 0; lane < lanes; ++lane) partial[d][lane] += Scalar{x[lane]} * Scalar{y[lane]};
    }
  std::array<Scalar, N> sums{};
  for (std::size_t d = 0; d < N; ++d) {
    for (Offset i = whole; i < last; ++i) partial[d][i - whole] += Scalar{pairs[d].x[i]} * Scalar{pairs[d].y[i]};
    for (Scalar sum : partial[d]) sums[d] += sum;
  }
  return sums;
}

/// before(first, last) makes the values of a block. Share s of the vectors is the blocks
/// blocks*s/shares .. blocks*(s+1)/shares.
template <class T, std::size_t N, class Before>
void dots_of(int threads, Offset n, const DotPair<T>* pairs, Accumulator<T>* out, const Before& before) {
  using Scalar = Accumulator<T>;
  const Offset blocks = (n + block - 1) / block;
  std::array<std::array<Scalar, N>, shares> sums{};
  host::on_threads(threads, n, [&](int part, int parts) {
    for (int share = shares * part / parts; share < shares * (part + 1) / parts; ++share) {
      std::array<Scalar, N> sum{};
      for (Offset b = blocks * share / shares; b < blocks * (share + 1) / shares; ++b) {
        const Offset first = b * block, last = std::min(n, first + block);
        before(first, last);
        const auto of_block = block_dots<T, N>(first, last, pairs);
        for (std::size_t d = 0; d < N; ++d) sum[d] += of_block[d];
      }
      sums[static_cast<std::size_t>(share)] = sum;
    }
  });
  std::array<Scalar, N> total{};
  for (const auto& sum : sums)
    for (std::size_t d = 0; d < N; ++d) total[d] += sum[d];
  std::copy(total.begin(), total.end(), out);
}

template <class T, std::size_t N>
void dots_of(int threads, Offset n, const DotPair<T>* pairs, Accumulator<T>* out) {
  dots_of<T, N>(threads, n, pairs, out, [](Offset, Offset) {});
}

} // namespace

// reads t for each different vector
template <class T>
void HostVectorKernels<T>::dots(Offset n, std::span<const DotPair<T>> pairs, Scalar* out) {
  ensure(pairs.size() <= most_pairs, "dots() takes at most 4 pairs");
  switch (pairs.size()) {
  case 1:
    return dots_of<T, 1>(threads_, n, pairs.data(), out);
  case 2:
    return dots_of<T, 2>(threads_, n, pairs.data(), out);
  case 3:
    return dots_of<T, 3>(threads_, n, pairs.data(), out);
  case 4:
    return dots_of<T, 4>(threads_, n, pairs.data(), out);
  default:
    return;
  }
}

// reads 4 for the index and at least k t (a cache line where neighbours are apart), writes k t
template <class T>
void HostVectorKernels<T>::gather(Offset n, const LocalIndex* index, LocalIndex k, const T* x, T* buffer) {
  over_range(threads_, n, [=](Offset first, Offset last) {
    if (k == 1) {
      for (Offset i = first; i < last; ++i) buffer[i] = x[index[i]];
      return;
    }
    for (Offset i = first; i < last; ++i) std::copy_n(x + Offset{index[i]} * k, k, buffer + i * k);
  });
}

// reads 6 t, writes 4 t
template <class T>
void HostVectorKernels<T>::cg_update(Offset n, const Scalar* alpha, const Scalar* beta, const T* u, const T* w, T* p,
                                     T* s, T* x, T* r) {
  over_range(threads_, n, [=, a = *alpha, b = *beta](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) {
      p[i] = static_cast<T>(u[i] + b * p[i]);
      s[i] = static_cast<T>(w[i] + b * s[i]);
      x[i] = static_cast<T>(x[i] + a * p[i]);
      r[i] = static_cast<T>(r[i] - a * s[i]);
    }
  });
}

// reads 10 t, writes 8 t; the dots read what is still in cache
template <class T>
void HostVectorKernels<T>::cg_pipelined_update(Offset n, const Scalar* alpha, const Scalar* beta,
                                               const PipelinedVectors<T>& v, Scalar* out) {
  const DotPair<T> pairs[] = {{v.r, v.r}, {v.r, v.u}, {v.w, v.u}};
  dots_of<T, 3>(threads_, n, pairs, out, [v, a = *alpha, b = *beta](Offset first, Offset last) {
#pragma omp simd
    for (Offset i = first; i < last; ++i) {
      v.z[i] = static_cast<T>(v.n[i] + b * v.z[i]);
      v.q[i] = static_cast<T>(v.m[i] + b * v.q[i]);
      v.s[i] = static_cast<T>(v.w[i] + b * v.s[i]);
      v.p[i] = static_cast<T>(v.u[i] + b * v.p[i]);
      v.x[i] = static_cast<T>(v.x[i] + a * v.p[i]);
      v.r[i] = static_cast<T>(v.r[i] - a * v.s[i]);
      v.u[i] = static_cast<T>(v.u[i] - a * v.q[i]);
      v.w[i] = static_cast<T>(v.w[i] - a * v.z[i]);
    }
  });
}

template class HostVectorKernels<float>;
template class HostVectorKernels<double>;

} // namespace atl
