// The peer of compare_cg.py: hypre's PCG with diagonal scaling on a matrix in PETSc's binary form (equal slabs of rows), a
// fixed number of iterations from zero with b = A * ones. Prints one JSON line. Not a part of Atoll.
//
//   mpirun -n P hypre_cg FILE ITERATIONS
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int32_t int_at(FILE* file, int64_t place) {
  uint32_t bits;
  fseek(file, place, SEEK_SET);
  if (fread(&bits, 4, 1, file) != 1) exit(3);
  return (int32_t)be32toh(bits);
}

int main(int argc, char** argv) {
  int rank, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  HYPRE_Init();
  FILE* file = argc > 2 ? fopen(argv[1], "rb") : NULL;
  if (!file) return 3;
  const int64_t n = int_at(file, 4), entries = int_at(file, 12);
  const int64_t first = n * rank / ranks, last = n * (rank + 1) / ranks;

  int64_t before = 0;
  HYPRE_IJMatrix ij;
  HYPRE_IJMatrixCreate(MPI_COMM_WORLD, first, last - 1, first, last - 1, &ij);
  HYPRE_IJMatrixSetObjectType(ij, HYPRE_PARCSR);
  HYPRE_IJMatrixInitialize(ij);
  uint32_t* lengths = malloc(4 * (size_t)n + 4);
  fseek(file, 16, SEEK_SET);
  if (fread(lengths, 4, (size_t)n, file) != (size_t)n) return 3;
  for (int64_t i = 0; i < first; ++i) before += be32toh(lengths[i]);
  for (int64_t i = first; i < last; ++i) {
    HYPRE_Int length = (HYPRE_Int)be32toh(lengths[i]);
    HYPRE_BigInt row = i, *columns = malloc(sizeof(HYPRE_BigInt) * (size_t)length);
    double* values = malloc(sizeof(double) * (size_t)length);
    uint32_t* column_bits = malloc(4 * (size_t)length);
    uint64_t* value_bits = malloc(8 * (size_t)length);
    fseek(file, 16 + 4 * n + 4 * before, SEEK_SET);
    if (fread(column_bits, 4, (size_t)length, file) != (size_t)length) return 3;
    fseek(file, 16 + 4 * n + 4 * entries + 8 * before, SEEK_SET);
    if (fread(value_bits, 8, (size_t)length, file) != (size_t)length) return 3;
    for (HYPRE_Int k = 0; k < length; ++k) {
      const uint64_t bits = be64toh(value_bits[k]);
      columns[k] = (int32_t)be32toh(column_bits[k]);
      memcpy(&values[k], &bits, 8);
    }
    HYPRE_IJMatrixSetValues(ij, 1, &length, &row, columns, values);
    before += length;
    free(columns), free(values), free(column_bits), free(value_bits);
  }
  free(lengths);
  HYPRE_IJMatrixAssemble(ij);
  HYPRE_ParCSRMatrix a;
  HYPRE_IJMatrixGetObject(ij, (void**)&a);

  HYPRE_IJVector ij_b, ij_x;
  HYPRE_ParVector b, x;
  HYPRE_IJVector* both[] = {&ij_b, &ij_x};
  for (int v = 0; v < 2; ++v) {
    HYPRE_IJVectorCreate(MPI_COMM_WORLD, first, last - 1, both[v]);
    HYPRE_IJVectorSetObjectType(*both[v], HYPRE_PARCSR);
    HYPRE_IJVectorInitialize(*both[v]);
    HYPRE_IJVectorAssemble(*both[v]);
  }
  HYPRE_IJVectorGetObject(ij_b, (void**)&b);
  HYPRE_IJVectorGetObject(ij_x, (void**)&x);
  HYPRE_ParVectorSetConstantValues(x, 1);
  HYPRE_ParCSRMatrixMatvec(1, a, x, 0, b);
  HYPRE_ParVectorSetConstantValues(x, 0);

  HYPRE_Solver pcg;
  HYPRE_ParCSRPCGCreate(MPI_COMM_WORLD, &pcg);
  HYPRE_PCGSetMaxIter(pcg, atoi(argv[2]));
  HYPRE_PCGSetTol(pcg, 0);
  HYPRE_PCGSetAbsoluteTol(pcg, 1e-300);
  HYPRE_PCGSetTwoNorm(pcg, 1);
  HYPRE_PCGSetPrecond(pcg, (HYPRE_PtrToSolverFcn)HYPRE_ParCSRDiagScale,
                      (HYPRE_PtrToSolverFcn)HYPRE_ParCSRDiagScaleSetup, NULL);
  HYPRE_ParCSRPCGSetup(pcg, a, b, x);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  HYPRE_ParCSRPCGSolve(pcg, a, b, x);
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;
  HYPRE_Int iterations;
  HYPRE_PCGGetNumIterations(pcg, &iterations);
  if (rank == 0) printf("{\"ranks\": %d, \"iterations\": %d, \"solve_s\": %.6f}\n", ranks, (int)iterations, seconds);
  MPI_Finalize();
  return 0;
}
