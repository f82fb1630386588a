// The peer of compare_cg.py: PETSc's CG with Jacobi on a matrix in PETSc's binary form, a fixed number of iterations from
// zero with b = A * ones. Prints one JSON line. Not a part of Atoll: compare_cg.py compiles it when pkg-config knows
// PETSc.
//
//   mpirun -n P petsc_cg FILE ITERATIONS NORM [PETSc options]
//
// NORM is unpreconditioned (the residual's own 2-norm at each iteration, as Atoll tests it) or natural
// (PETSc's cheapest: no reduction of its own).
#include <petscksp.h>

#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  Mat a;
  Vec x, b;
  KSP ksp;
  PC pc;
  PetscViewer file;
  PetscInt iterations;
  PetscMPIInt ranks;
  double start, seconds;

  PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
  PetscCheck(argc >= 4, PETSC_COMM_WORLD, PETSC_ERR_ARG_WRONG, "usage: petsc_cg FILE ITERATIONS NORM");
  PetscCall(PetscViewerBinaryOpen(PETSC_COMM_WORLD, argv[1], FILE_MODE_READ, &file));
  PetscCall(MatCreate(PETSC_COMM_WORLD, &a));
  PetscCall(MatSetType(a, MATAIJ));
  PetscCall(MatLoad(a, file));
  PetscCall(PetscViewerDestroy(&file));
  PetscCall(MatSetOption(a, MAT_SPD, PETSC_TRUE));
  PetscCall(MatCreateVecs(a, &x, &b));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(a, x, b));
  PetscCall(VecSet(x, 0));

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, a, a));
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(KSPSetNormType(ksp, strcmp(argv[3], "natural") ? KSP_NORM_UNPRECONDITIONED : KSP_NORM_NATURAL));
  PetscCall(KSPSetTolerances(ksp, 1e-300, 1e-300, 1e300, atoi(argv[2])));
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
