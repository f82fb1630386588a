#!/usr/bin/python3
"""The answer for the matrix that ships with Atoll, against SciPy's direct solver.

    shipped_matrix.py ATOLL MPIRUN RANKS MATRIX WORK_FOLDER
"""
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
from scipy.io import mmread, mmwrite
from scipy.sparse.linalg import spsolve


def main():
    atoll, mpirun, ranks, matrix, work = sys.argv[1:]
    work = Path(work) / f"ranks{ranks}"
    work.mkdir(parents=True, exist_ok=True)
    rhs, answer, report = (work / name for name in ("b.mtx", "x.mtx", "report.json"))

    a = mmread(matrix).tocsc()
    b = np.random.default_rng(7).uniform(-1, 1, a.shape[0])
    mmwrite(rhs, b[:, None], precision=17)
    for file in (answer, report):
        file.unlink(missing_ok=True)
    command = [mpirun, "--timeout", "100", "-n", ranks, atoll, "solve", matrix, "--rhs", rhs, "--rtol", "1e-12",
               "--preconditioner", "jacobi", "--output", answer, "--json", report]
    subprocess.run(command, check=True)

    x = np.asarray(mmread(answer)).ravel()
    expected = spsolve(a, b)
    error = np.linalg.norm(x - expected) / np.linalg.norm(expected)
    residual = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
    said = json.loads(report.read_text())
    print(f"error {error:.1e}, true residual {residual:.1e}, {said['iterations']} iterations")

    # The matrix after Jacobi scaling has condition 4e4 (SciPy's eigsh): rtol 1e-12 leaves at most about 1e-7.
    assert error <= 1e-7, f"x is {error:.1e} away from SciPy's"
    assert residual <= 2e-12, f"true residual {residual:.1e}"
    assert said["converged"] is True and said["ranks"] == int(ranks)
    assert said["matrix"]["rows"] == a.shape[0] and said["matrix"]["nnz"] == a.nnz
    assert said["matrix"]["symmetric"] is True
    assert 0.5 <= said["relative_residual"] / residual <= 2, "the residual said is not the true one"


if __name__ == "__main__":
    main()
