#!/usr/bin/python3
"""Reading a Matrix Market file: MB/s a core, and the seconds of partitioning and distributing it.

    bench/read_matrix.py [--rows 1000] [--ranks 2] [--repeat 5] [--partitioner auto]

The file is a 5-point matrix of ROWS x ROWS cells with random conductivities between them, all entries stored
("general"), values with 17 digits: 1 M rows and 5 M entries for the default. It is read once before, so it comes from
the system's cache. A variant with the short integers of the Poisson matrix is read beside it.
"""
import argparse
import tempfile
from pathlib import Path

import numpy as np

import measure


def write_matrix(path, n, rng=None):
    """5-point matrix, rows in order. rng: random conductivities; None: 4 and -1."""
    def conductivities(shape):
        return rng.uniform(0.5, 2, shape) if rng else np.ones(shape)

    x = conductivities((n, n + 1))  # between cells along x; the outermost lead to the boundary
    y = conductivities((n + 1, n))
    form = repr if rng else lambda v: str(int(v))
    with open(path, "w", encoding="ascii") as f:
        f.write("%%MatrixMarket matrix coordinate real general\n")
        f.write(f"{n * n} {n * n} {5 * n * n - 4 * n}\n")
        for j in range(n):
            west, east, south, north = x[j, :-1].tolist(), x[j, 1:].tolist(), y[j].tolist(), y[j + 1].tolist()
            lines = []
            for i in range(n):
                row = j * n + i + 1
                if j > 0:
                    lines.append(f"{row} {row - n} {form(-south[i])}\n")
                if i > 0:
                    lines.append(f"{row} {row - 1} {form(-west[i])}\n")
                lines.append(f"{row} {row} {form(west[i] + east[i] + south[i] + north[i])}\n")
                if i + 1 < n:
                    lines.append(f"{row} {row + 1} {form(-east[i])}\n")
                if j + 1 < n:
                    lines.append(f"{row} {row + n} {form(-north[i])}\n")
            f.writelines(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1000, help="cells along each side")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--partitioner", default="auto")
    parser.add_argument("--folder", help="where the files are written (default: a temporary folder)")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        files = {"17 digits": Path(folder) / "long.mtx", "integers": Path(folder) / "short.mtx"}
        write_matrix(files["17 digits"], options.rows, np.random.default_rng(1))
        write_matrix(files["integers"], options.rows)

        def read(path):
            return lambda: measure.atoll(options.ranks, "solve", path, "--max-iterations", 1, "--preconditioner",
                                         "jacobi", "--partitioner", options.partitioner)

        for path in files.values():
            read(path)()  # the first run fills the cache
        results, quiet = measure.repeat(options.repeat, {name: read(path) for name, path in files.items()})

        rows = []
        for name, runs in results.items():
            megabytes = files[name].stat().st_size / 1e6
            seconds = {part: measure.median([run["time_s"][part] for run in runs])
                       for part in ("read", "partition", "distribute")}
            million_rows = runs[0]["matrix"]["rows"] / 1e6
            rows.append([name, f"{megabytes:.0f}", f"{runs[0]['matrix']['nnz'] / 1e6:.2f}", options.ranks,
                         f"{seconds['read']:.3f}", f"{megabytes / seconds['read'] / options.ranks:.0f}",
                         f"{seconds['partition']:.3f}", f"{seconds['distribute']:.3f}",
                         f"{sum(seconds.values()) / million_rows:.2f}", runs[0]["partition"]["method"]])
    print(f"{measure.machine()}; median of {options.repeat}\n")
    measure.table(["values", "MB", "M entries", "ranks", "read s", "MB/s a rank", "partition s", "distribute s",
                   "all three, s per M rows", "partitioner"], rows, quiet)


if __name__ == "__main__":
    main()
