"""Runs the atoll command as a user would, and reads what it leaves behind. Standard library only."""

import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

ATOLL = os.environ["ATOLL"]
MPIRUN = os.environ.get("MPIRUN", "mpirun")
SECONDS = 120


class Run:
    """One finished run: exit status, standard output, and the lines of standard error that are Atoll's."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err
        # mpirun adds a banner of its own between two dashed lines when a rank's status is not 0.
        self.errors, banner = [], False
        for line in err.splitlines():
            if line.startswith("-----"):
                banner = not banner
            elif not banner:
                self.errors.append(line)

    def __repr__(self):
        return f"status {self.status}\nout: {self.out}\nerr: {self.err}"


def call(command, **keywords):
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, errors="replace", **keywords)
    return Run(done.returncode, done.stdout, done.stderr)


def atoll(*arguments, ranks=None, **keywords):
    """The command alone, or under mpirun with so many ranks. All ranks have ended by themselves when the first status
    other than 0 reaches mpirun, which then need not wait its second before it looks for stragglers."""
    start = []
    if ranks is not None:
        start = [MPIRUN, "--timeout", str(SECONDS - 30), "--mca", "odls_base_sigkill_timeout", "0", "-n", str(ranks)]
    return call(start + [ATOLL] + [str(a) for a in arguments], **keywords)


# ---- small dense matrices as lists of rows, the oracle of these tests


def multiply(a, x):
    return [sum(v * w for v, w in zip(row, x)) for row in a]


def transpose(a):
    return [list(column) for column in zip(*a)]


def solve(a, b):
    """Gaussian elimination with partial pivoting."""
    n = len(b)
    m = [list(row) + [b[i]] for i, row in enumerate(a)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(m[i][k]))
        m[k], m[pivot] = m[pivot], m[k]
        for i in range(k + 1, n):
            factor = m[i][k] / m[k][k]
            for j in range(k, n + 1):
                m[i][j] -= factor * m[k][j]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (m[i][n] - sum(m[i][j] * x[j] for j in range(i + 1, n))) / m[i][i]
    return x


def poisson2d(nx, ny):
    """The 5-point stencil, 4 and -1, x fastest."""
    n = nx * ny
    a = [[0.0] * n for _ in range(n)]
    for y in range(ny):
        for x in range(nx):
            i = y * nx + x
            a[i][i] = 4.0
            if x > 0:
                a[i][i - 1] = -1.0
            if x < nx - 1:
                a[i][i + 1] = -1.0
            if y > 0:
                a[i][i - nx] = -1.0
            if y < ny - 1:
                a[i][i + nx] = -1.0
    return a


def random_spd(n, seed, density=0.15):
    """Symmetric, strictly diagonally dominant, in scattered order."""
    rng = random.Random(seed)
    a = [[0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i):
            if rng.random() < density:
                a[i][j] = a[j][i] = rng.uniform(-1, 1)
    for i in range(n):
        a[i][i] = 1.0 + sum(abs(v) for v in a[i])
    return a


# ---- Matrix Market


def write_matrix(path, a, symmetric=False):
    rows, columns = len(a), len(a[0]) if a else 0
    entries = [
        (i + 1, j + 1, a[i][j])
        for i in range(rows)
        for j in range(columns)
        if a[i][j] != 0 and (not symmetric or j <= i)
    ]
    kind = "symmetric" if symmetric else "general"
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real {kind}\n{rows} {columns} {len(entries)}\n")
        file.writelines(f"{i} {j} {v!r}\n" for i, j, v in entries)
    return path


def write_array(path, columns):
    """Column vectors as one array."""
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix array real general\n{len(columns[0])} {len(columns)}\n")
        file.writelines(f"{v!r}\n" for column in columns for v in column)
    return path


def data_lines(path):
    with open(path) as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("%")]
    return lines[0], lines[1:]


def read_array(path):
    (rows, columns), lines = data_lines(path)
    rows, columns = int(rows), int(columns)
    values = [float(line[0]) for line in lines]
    assert len(values) == rows * columns, path
    return [values[c * rows : (c + 1) * rows] for c in range(columns)]


def read_matrix(path):
    """The entries as a dictionary, and the sizes; symmetric files are expanded."""
    with open(path) as file:
        symmetric = "symmetric" in file.readline()
    (rows, columns, count), lines = data_lines(path)
    assert len(lines) == int(count), path
    entries = {}
    for i, j, v in lines:
        entries[int(i) - 1, int(j) - 1] = float(v)
        if symmetric:
            entries[int(j) - 1, int(i) - 1] = float(v)
    return entries, int(rows), int(columns)


def entries_of(a):
    return {(i, j): v for i, row in enumerate(a) for j, v in enumerate(row) if v != 0}


class CommandTest(unittest.TestCase):
    """A test in an empty folder of its own; what a run leaves there is all it may leave."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="atoll-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def report(self, name):
        def refuse(constant):
            raise ValueError(f"{constant} is not JSON")

        with open(self.path(name)) as file:
            return json.load(file, parse_constant=refuse)

    def assert_status(self, run, status):
        self.assertEqual(run.status, status, run)

    def assert_refused(self, run, status, *mentioned, lines=1):
        """Refused with this status by one rank in at most so many lines that mention all this."""
        self.assertEqual(run.status, status, run)
        self.assertGreaterEqual(len(run.errors), 1, run)
        self.assertLessEqual(len(run.errors), lines, run)
        for line in run.errors:
            self.assertTrue(line.startswith("atoll: "), run)
            self.assertTrue(line.isprintable(), run)
        for word in mentioned:
            self.assertIn(word, "\n".join(run.errors))
        self.assertEqual(run.out, "", run)

    def assert_close(self, values, expected, tolerance):
        self.assertEqual(len(values), len(expected))
        scale = max([abs(v) for v in expected] + [1e-300])
        for i, (v, e) in enumerate(zip(values, expected)):
            self.assertLessEqual(abs(v - e), tolerance * scale, f"value {i}: {v}, expected {e}")

    def assert_files(self, *names):
        """These files are here, and no others."""
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(names))
