// The peer of compare_cg.py: PETSc's CG with Jacobi on the 5-point Poisson matrix (4, -1), a fixed number of
// iterations from zero with b = A * ones. Prints one JSON line. Not a part of Atoll: compare_cg.py compiles
// it when pkg-config knows PETSc.
//
//   mpirun -n P petsc_cg NX NY ITERATIONS NORM [PETSc options]
//
// NORM is unpreconditioned (the residual's own 2-norm at each iteration, as Atoll tests it) or natural
// (PETSc's cheapest: no reduction of its own).
#include <petscksp.h>

#include <stdlib.h>
#include <string.h>

static PetscErrorCode assemble(PetscInt nx, PetscInt ny, Mat* a) {
  PetscInt begin, end, i;
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, nx * ny, nx * ny, 5, NULL, 2, NULL, a));
  PetscCall(MatGetOwnershipRange(*a, &begin, &end));
  for (i = begin; i < end; ++i) {
    const PetscInt x = i % nx, y = i / nx;
    PetscInt column[5], n = 0;
    PetscScalar value[5];
    if (y > 0) column[n] = i - nx, value[n++] = -1;
    if (x > 0) column[n] = i - 1, value[n++] = -1;
    column[n] = i, value[n++] = 4;
    if (x + 1 < nx) column[n] = i + 1, value[n++] = -1;
    if (y + 1 < ny) column[n] = i + nx, value[n++] = -1;
    PetscCall(MatSetValues(*a, 1, &i, n, column, value, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
  PetscCall(MatSetOption(*a, MAT_SPD, PETSC_TRUE));
  return 0;
}

int main(int argc, char** argv) {
  Mat a;
  Vec x, b;
  KSP ksp;
  PC pc;
  PetscInt iterations;
  PetscMPIInt ranks;
  double start, seconds;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc >= 5, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "usage: petsc_cg NX NY ITERATIONS NORM");
  PetscCall(assemble(atoi(argv[1]), atoi(argv[2]), &a));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(a, x, b));
  PetscCall(VecSet(x, 0));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetNormType(ksp, strcmp(argv[4], "natural") ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(ksp, 1e-300, 1e-300, 1e300, atoi(argv[3])));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSetUp(ksp));

  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  start = MPI_Wtime();
  PetscCall(KSPSolve(ksp, b, x));
  PetscCallMPI(MPI_Barrier(PETSC_COMM_WORLD));
  seconds = MPI_Wtime() - start;

  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "{\"ranks\": %d, \"iterations\": %d, \"solve_s\": %.6f}\n", ranks,
                        (int)iterations, seconds));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(MatDestroy(&a));
  PetscCall(PetscFinalize());
  return 0;
}
