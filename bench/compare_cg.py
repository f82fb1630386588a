#!/usr/bin/python3
"""Time of one CG iteration with Jacobi, beside PETSc, hypre and Eigen on the same matrix, runs interleaved.

    bench/compare_cg.py [--problems "poisson2d:1000x1000 FILE ..."] [--ranks 1,2] [--iterations 100] [--repeat 5]
                        [--peers petsc,petsc-huge,hypre,eigen] [--options "--storage csr"]

Both sides start from zero with b = A * ones and run a fixed number of iterations. The peers (Debian: petsc-dev,
libhypre-dev, libeigen3-dev) are compiled into small drivers and read the matrix from a file in PETSc's binary form.
`huge` gives a peer's memory huge pages (GLIBC_TUNABLES=glibc.malloc.hugetlb=1), which Atoll asks for by itself. Needs
numpy and h5py.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py
import measure
import numpy

HERE = Path(__file__).parent
HUGE = {"GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}


def write_petsc(problem, path):
    """The matrix in natural order as a PETSc binary file."""
    store = path.with_suffix(".h5")
    command = "generate" if ":" in problem and not Path(problem).exists() else "convert"
    target = [problem, "-o", store] if command == "generate" else [problem, store]
    done = measure.mpirun(1, [measure.ATOLL, command, *target])
    if done.returncode:
        sys.exit(done.stderr)
    with h5py.File(store) as file, open(path, "wb") as out:
        matrix = file["matrix"]
        begin, columns = matrix["indptr"][:], matrix["indices"][:]
        n = len(begin) - 1
        numpy.array([1211216, n, n, len(columns)], ">i4").tofile(out)
        numpy.diff(begin).astype(">i4").tofile(out)
        columns.astype(">i4").tofile(out)
        matrix["data"][:].astype(">f8").tofile(out)
    store.unlink()
    return n


def pkg_config(name):
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", name], capture_output=True, text=True, check=False)
    if flags.returncode:
        sys.exit(f"pkg-config does not know {name}: see --help for the packages")
    return flags.stdout.split()


def build(folder):
    def compiled(name, command):
        program = Path(folder) / name
        subprocess.run([*command, "-o", str(program)], check=True)
        return program

    return {
        "petsc": lambda: compiled("petsc_cg", ["mpicc", "-O2", str(HERE / "petsc_cg.c"), *pkg_config("petsc")]),
        "hypre": lambda: compiled("hypre_cg", ["mpicc", "-O2", "-I/usr/include/hypre", str(HERE / "hypre_cg.c"),
                                               "-lHYPRE", "-lm"]),
        "eigen": lambda: compiled("eigen_cg", ["g++", "-std=c++20", "-O3", "-march=native", "-fopenmp",
                                               str(HERE / "eigen_cg.cpp"), *pkg_config("eigen3")]),
    }


def peer(program, ranks, matrix, iterations, settings=(), environment=None):
    saved = dict(os.environ)
    os.environ.update(environment or {})
    threads = measure.ENVIRONMENT["OMP_NUM_THREADS"]
    if program.name == "eigen_cg":  # threads take the place of ranks
        measure.ENVIRONMENT["OMP_NUM_THREADS"], ranks = str(ranks), 1
    done = measure.mpirun(ranks, [program, matrix, iterations, *settings])
    measure.ENVIRONMENT["OMP_NUM_THREADS"] = threads
    os.environ.clear()
    os.environ.update(saved)
    if done.returncode:
        sys.exit(done.stderr)
    run = json.loads(done.stdout.splitlines()[-1])
    return run["solve_s"] / max(1, run["iterations"])


def atoll(ranks, problem, iterations, options):
    run = measure.atoll(ranks, "solve", problem, "--preconditioner", "jacobi", "--rtol", "1e-300", "--max-iterations",
                        iterations, *options)
    return run["time_s"]["solve"] / max(1, run["iterations"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--problems", default="poisson2d:1000x1000")
    parser.add_argument("--ranks", default="1,2")
    parser.add_argument("--iterations", type=int, default=100)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--peers", default="petsc,petsc-huge,hypre,hypre-huge,eigen")
    parser.add_argument("--options", default="", help="variants of Atoll's command, separated by ';'")
    options = parser.parse_args()

    rows, quiet, n = [], True, options.iterations
    # A comma also stands inside a model problem's parameters.
    problems = options.problems.split(" ") if " " in options.problems else [options.problems]
    with tempfile.TemporaryDirectory() as folder:
        makers, programs = build(folder), {}
        for name in options.peers.split(","):
            kind = name.split("-")[0]
            programs[name] = programs.get(kind) or makers[kind]()
        for problem in problems:
            matrix = Path(folder) / "matrix.petsc"
            size = write_petsc(problem, matrix)
            for ranks in map(int, options.ranks.split(",")):
                runs = {f"Atoll {variant}".strip(): lambda v=variant: atoll(ranks, problem, n, v.split())
                        for variant in options.options.split(";")}
                for name, program in programs.items():
                    runs[name] = lambda name=name, program=program: peer(
                        program, ranks, matrix, n, ["unpreconditioned"] if "petsc" in name else [],
                        HUGE if name.endswith("huge") else None)
                times, was_quiet = measure.repeat(options.repeat, runs)
                quiet &= was_quiet
                ours = measure.median(times[next(iter(runs))])
                for name, seconds in times.items():
                    middle = measure.median(seconds)
                    rows.append([problem, f"{size:,}", ranks, name, f"{1e3 * middle:.3f}",
                                 f"{1e3 * min(seconds):.3f} to {1e3 * max(seconds):.3f}", f"{ours / middle:.2f}"])
                    print(rows[-1], file=sys.stderr, flush=True)
    print(f"{measure.machine()}; {n} iterations, median of {options.repeat}, interleaved\n")
    measure.table(["problem", "rows", "ranks", "solver", "ms an iteration", "range", "Atoll / this"], rows, quiet)


if __name__ == "__main__":
    main()
