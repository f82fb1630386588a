// The peer of compare_cg.py: Eigen's ConjugateGradient with its diagonal preconditioner on a matrix in PETSc's binary form,
// a fixed number of iterations from zero with b = A * ones, on OMP_NUM_THREADS threads. Prints one JSON line. Not a part
// of Atoll.
//
//   eigen_cg FILE ITERATIONS
#include <Eigen/Sparse>

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

int main(int argc, char** argv) {
  std::FILE* file = argc > 2 ? std::fopen(argv[1], "rb") : nullptr;
  if (!file) return 3;
  const auto read_ints = [file](std::size_t count) {
    std::vector<std::int32_t> values(count);
    if (std::fread(values.data(), 4, count, file) != count) std::exit(3);
    for (auto& v : values) v = static_cast<std::int32_t>(__builtin_bswap32(static_cast<std::uint32_t>(v)));
    return values;
  };
  const auto head = read_ints(4);
  const int n = head[1];
  const auto lengths = read_ints(static_cast<std::size_t>(n)), columns = read_ints(static_cast<std::size_t>(head[3]));
  std::vector<std::uint64_t> bits(columns.size());
  if (std::fread(bits.data(), 8, bits.size(), file) != bits.size()) return 3;
  Eigen::SparseMatrix<double, Eigen::RowMajor> a(n, n);
  a.reserve(Eigen::Map<const Eigen::VectorXi>(lengths.data(), n));
  for (int i = 0, e = 0; i < n; ++i)
    for (int k = 0; k < lengths[static_cast<std::size_t>(i)]; ++k, ++e)
      a.insert(i, columns[static_cast<std::size_t>(e)]) =
          std::bit_cast<double>(__builtin_bswap64(bits[static_cast<std::size_t>(e)]));
  a.makeCompressed();
  const Eigen::VectorXd b = a * Eigen::VectorXd::Ones(n);

  Eigen::ConjugateGradient<Eigen::SparseMatrix<double, Eigen::RowMajor>, Eigen::Lower | Eigen::Upper> cg;
  cg.setMaxIterations(std::atoi(argv[2]));
  cg.setTolerance(1e-150);
  cg.compute(a);
  const auto start = std::chrono::steady_clock::now();
  const Eigen::VectorXd x = cg.solve(b);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  std::printf("{\"ranks\": 1, \"iterations\": %d, \"solve_s\": %.6f, \"x0\": %g}\n",
              static_cast<int>(cg.iterations()), seconds.count(), x(0));
}
