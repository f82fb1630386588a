#!/usr/bin/python3
"""Time of one CG iteration with Jacobi, beside PETSc on the same matrix, runs interleaved.

    bench/compare_cg.py [--sides 1000,2000] [--ranks 1,2] [--iterations 200] [--repeat 5]

Both start from zero with b = A * ones and run a fixed number of iterations. PETSc (Debian: petsc-dev) is compiled
into a small driver, petsc_cg.c, in three settings: `unpreconditioned` tests the residual's own norm, as Atoll does;
`natural` is its cheapest; `single reduction` is the variant of CG that Atoll uses by default.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import measure

PETSC = {
    "PETSc, unpreconditioned": ["unpreconditioned"],
    "PETSc, natural": ["natural"],
    "PETSc, single reduction": ["unpreconditioned", "-ksp_cg_single_reduction"],
}


def build_petsc(folder):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "petsc"], capture_output=True, text=True, check=False)
    if flags.returncode:
        sys.exit("pkg-config does not know petsc: apt-get install petsc-dev")
    program = Path(folder) / "petsc_cg"
    source = Path(__file__).with_name("petsc_cg.c")
    subprocess.run(["mpicc", "-O2", str(source), "-o", str(program), *flags.stdout.split()], check=True)
    return program


def petsc(program, ranks, side, iterations, settings):
    done = measure.mpirun(ranks, [program, side, side, iterations, *settings])
    if done.returncode:
        sys.exit(done.stderr)
    run = json.loads(done.stdout)
    return run["solve_s"] / run["iterations"]


def atoll(ranks, side, iterations, options):
    run = measure.atoll(ranks, "solve", f"poisson2d:{side}x{side}", "--preconditioner", "jacobi", "--rtol", "1e-300",
                        "--max-iterations", iterations, *options)
    return run["time_s"]["solve"] / run["iterations"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sides", default="1000,2000")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--iterations", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()

    rows, quiet = [], True
    with tempfile.TemporaryDirectory() as folder:
        program = build_petsc(folder)
        for side in map(int, options.sides.split(",")):
            for ranks in map(int, options.ranks.split(",")):
                n = options.iterations
                runs = {
                    "Atoll, cg": lambda: atoll(ranks, side, n, ["--method", "cg"]),
                    "Atoll, cg-textbook": lambda: atoll(ranks, side, n, ["--method", "cg-textbook"]),
                }
                for name, settings in PETSC.items():
                    runs[name] = lambda settings=settings: petsc(program, ranks, side, n, settings)
                times, was_quiet = measure.repeat(options.repeat, runs)
                quiet &= was_quiet
                peer = measure.median(times["PETSc, unpreconditioned"])
                for name, seconds in times.items():
                    middle = measure.median(seconds)
                    rows.append([f"{side}x{side}", ranks, name, f"{1e3 * middle:.3f}",
                                 f"{1e3 * min(seconds):.3f} to {1e3 * max(seconds):.3f}", f"{middle / peer:.2f}"])
    print(f"{measure.machine()}; {options.iterations} iterations, median of {options.repeat}, interleaved\n")
    measure.table(["poisson2d", "ranks", "solver", "ms an iteration", "range", "ratio to PETSc"], rows, quiet)


if __name__ == "__main__":
    main()
