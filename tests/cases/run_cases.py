#!/usr/bin/env python3
"""Faults that people reported in other packages, each with the right behaviour (data/*/expect.json names its source).

usage: run_cases.py ATOLL MPIRUN [FILTER...]      FILTER: the first letters of case folders, all by default

Runs the atoll command as a user would, on the case's numbers of ranks, and judges exit status, messages, time and
answers against references made with SciPy. Methods and preconditioners that a build does not have must be refused by
name. Needs python3-numpy and python3-scipy.
"""
import json
import os
import stat
import subprocess
import sys
import tempfile
import time

import numpy as np
import scipy.io
import scipy.sparse

HERE = os.path.dirname(os.path.abspath(__file__))
ATOLL, MPIRUN = sys.argv[1:3]
METHODS = {"cg"}
PRECONDITIONERS = {"none", "jacobi"}
failures = []


def as_list(value):
    return value if isinstance(value, list) else [value]


def read_dense(path):
    return np.asarray(scipy.io.mmread(path), float)


class Run:
    """One run of the command: exit status, output, seconds."""

    def __init__(self, ranks, *arguments, env=None, limit=60):
        command = [ATOLL, *arguments] if ranks == 1 else [MPIRUN, "-n", str(ranks), ATOLL, *arguments]
        self.words = " ".join(command)
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit,
                                  env={**os.environ, **(env or {})})
            self.status, self.out, self.err = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            self.status, self.out, self.err = "time-out", "", ""
        self.seconds = time.monotonic() - start
        self.messages = [line for line in self.err.splitlines() if line.startswith("atoll: ")]


class Judge:
    """Collects what is wrong with a case."""

    def __init__(self, name):
        self.name = name

    def expect(self, holds, text, run=None):
        if holds:
            return
        failures.append(f"{self.name}: {text}" + (f"\n    {run.words}\n    status {run.status}: "
                                                  f"{' | '.join(run.err.splitlines()[:3])}" if run else ""))

    def refused(self, run, expect, statuses=(3,)):
        self.expect(run.status in statuses, f"exit status one of {statuses} expected", run)
        self.expect(len(run.messages) == 1, f"one line of error expected, {len(run.messages)} seen", run)
        words = expect.get("mention_any")
        if words:
            text = " ".join(run.messages).lower()
            self.expect(any(w.lower() in text for w in words), f"message names one of {words}", run)
        if "no_hang_s" in expect:
            self.expect(run.seconds <= expect["no_hang_s"], f"took {run.seconds:.1f} s", run)


def relative_error(x, reference, remove_mean=False):
    x, reference = x.reshape(-1), reference.reshape(-1)
    if remove_mean:
        x, reference = x - x.mean(), reference - reference.mean()
    scale = np.abs(reference).max()
    if scale == 0:
        return np.abs(x).max()
    return np.linalg.norm((x - reference) / scale) / np.linalg.norm(reference / scale)


def true_residual(folder, x):
    a = scipy.sparse.csr_matrix(scipy.io.mmread(f"{folder}/A.mtx"))
    b = read_dense(f"{folder}/b.mtx").reshape(-1)
    scale = np.abs(b).max() or 1.0
    return np.linalg.norm(b / scale - a @ (x.reshape(-1) / scale)) / (np.linalg.norm(b / scale) or 1.0)


def check_read(judge, folder, case, ranks, work):
    expect, outcome = case["expect"], case["expect"]["outcome"]
    env = case["options"].get("env")
    if outcome == "read_error" or outcome == "read_error_or_exact":
        judge.refused(Run(ranks, "info", f"{folder}/A.mtx", env=env), expect)
        return
    out = f"{work}/out.mtx"
    run = Run(ranks, "convert", f"{folder}/A.mtx", out, env=env)
    judge.expect(run.status == 0, "conversion expected to succeed", run)
    if run.status == 0:
        a, facts = scipy.sparse.csr_matrix(scipy.io.mmread(out)), expect["facts"]
        seen = dict(rows=a.shape[0], cols=a.shape[1], nnz=a.nnz, sum=a.sum(), diag_sum=a.diagonal().sum(),
                    frobenius=np.sqrt((a.data ** 2).sum()), max_abs=np.abs(a.data).max())
        for key, value in facts.items():
            judge.expect(abs(seen[key] - value) <= 1e-13 * max(1, abs(value)), f"{key} {seen[key]}, expected {value}")
    run = Run(ranks, "multiply", f"{folder}/A.mtx", "--vector", f"{folder}/x.mtx", "--output", f"{work}/y.mtx", env=env)
    judge.expect(run.status == 0, "product expected to succeed", run)
    if run.status == 0:
        error = relative_error(read_dense(f"{work}/y.mtx"), read_dense(f"{folder}/y_ref.mtx"))
        judge.expect(error <= expect["y_rel_tol"], f"product is off by {error:.1e}", run)
    if "solve_outcome" in expect:
        run = Run(ranks, "solve", f"{folder}/A.mtx")
        judge.expect(run.status in (1, 3), "a singular system must be refused or flagged", run)


def solve_options(case):
    """The option lists of a case that this build can take; the first says what is refused, by name."""
    options = case["options"]
    for preconditioner in as_list(options.get("precond", ["none", "jacobi"])):
        for method in as_list(options.get("method", "cg")):
            words = ["--method", method, "--preconditioner", preconditioner]
            if "rtol" in options:
                words += ["--rtol", repr(options["rtol"])]
            if "maxiter" in options:
                words += ["--max-iterations", str(options["maxiter"])]
            yield method, preconditioner, words


def judge_solve(judge, folder, case, run, x_file, report_file, preconditioner):
    expect, outcome = case["expect"], case["expect"]["outcome"]
    report = json.load(open(report_file)) if os.path.exists(report_file) else {}
    if outcome == "refused_or_flagged":
        judge.expect(run.status in (1, 3), "refusal or a flagged ending expected", run)
    elif outcome == "converged":
        judge.expect(run.status == 0, "convergence expected", run)
    else:
        judge.expect(run.status in (0, 1), "exit status 0 or 1 expected", run)
    if run.status in (1, 3) and "mention_any" in expect:
        text = (run.out + run.err).lower()
        judge.expect(any(w.lower() in text for w in expect["mention_any"]), "reason not named", run)
    if run.status not in (0, 1):
        judge.expect(not os.path.exists(x_file), "a refused run left an output file", run)
        return
    judge.expect(report.get("converged") == (run.status == 0), "JSON and exit status disagree", run)
    x = read_dense(x_file)
    judge.expect(np.isfinite(x).all(), "x is not finite", run)
    residual = true_residual(folder, x)
    limit = expect.get("true_relres_max", expect.get("rtol_checked", np.inf))
    if run.status == 0:
        judge.expect(residual <= 2 * limit, f"true residual {residual:.1e}, converged was said at {limit:.1e}", run)
        if isinstance(expect.get("x"), str):
            error = relative_error(x, read_dense(f"{folder}/{expect['x']}"),
                                   expect.get("compare_after_mean_removed", False))
            tolerance = expect.get("x_abs_tol", 1e-12) if not read_dense(f"{folder}/{expect['x']}").any() \
                else expect["x_rel_tol"]
            judge.expect(error <= tolerance, f"x is off by {error:.1e}, allowed {tolerance:.1e}", run)
        limits = expect.get("max_iters")
        limits = limits.get(preconditioner) if isinstance(limits, dict) else limits
        if limits is not None:
            judge.expect(report["iterations"] <= limits, f"{report['iterations']} iterations, {limits} allowed", run)


def check_solve(judge, folder, case, ranks, work):
    options = case["options"]
    extra = [["--null-space", "constant"], []] if options.get("nullspace") else [[]]
    if "partition_file" in options:
        extra = [["--partitioner", f"file:{folder}/{options['partition_file']}"], []]
    if options.get("also_with_x0"):
        extra.append(["--initial", f"{folder}/{options['also_with_x0']}"])
    for method, preconditioner, words in solve_options(case):
        if method not in METHODS or preconditioner not in PRECONDITIONERS:
            if ranks == 1:
                run = Run(1, "solve", f"{folder}/A.mtx", *words)
                judge.expect(run.status == 4 and len(run.messages) == 1, "what this build lacks is refused by name", run)
            continue
        for more in extra:
            x_file, report_file = f"{work}/x.mtx", f"{work}/report.json"
            for path in (x_file, report_file):
                if os.path.exists(path):
                    os.remove(path)
            command = ["solve", f"{folder}/A.mtx", "--rhs", f"{folder}/b.mtx", *words, *more, "--output", x_file,
                       "--json", report_file]
            run = Run(ranks, *command)
            judge_solve(judge, folder, case, run, x_file, report_file, preconditioner)
            if case["expect"].get("repeat_bitwise") or case["expect"].get("repeat_identical"):
                first, history = open(x_file, "rb").read(), json.load(open(report_file))["history"]
                Run(ranks, *command)
                judge.expect(open(x_file, "rb").read() == first, "a second run gives other bits", run)
                judge.expect(json.load(open(report_file))["history"] == history, "a second run has another history", run)


def check_partition(judge, folder, case, ranks, work):
    expect, parts = case["expect"], case["options"]["nparts"]
    limits = expect.get("imbalance_cases") or [[0.03, None]]
    a = scipy.sparse.coo_matrix(scipy.io.mmread(f"{folder}/A.mtx"))
    for imbalance, largest in limits:
        out, report_file = f"{work}/part.txt", f"{work}/report.json"
        run = Run(ranks, "partition", f"{folder}/A.mtx", "-n", str(parts), "-o", out, "--imbalance", str(imbalance),
                  "--json", report_file)
        judge.expect(run.status == 0, "a partition expected", run)
        if run.status:
            continue
        owner = np.array(open(out).read().split(), int)
        sizes = np.bincount(owner, minlength=parts)
        judge.expect(len(owner) == expect["rows"] and len(sizes) == parts and owner.min() >= 0, "illegal labels", run)
        judge.expect(sizes.min() > 0, "an empty part", run)
        if largest:
            judge.expect(sizes.max() <= largest, f"largest part {sizes.max()}, {largest} allowed", run)
        between = (owner[a.row] != owner[a.col]) & (a.row != a.col)
        low, high = np.minimum(a.row, a.col)[between], np.maximum(a.row, a.col)[between]
        cut = len(set(zip(low.tolist(), high.tolist())))
        judge.expect(json.load(open(report_file))["partition"]["edge_cut"] == cut, "the edge cut said is another", run)
        judge.expect(cut <= expect["max_cut"], f"edge cut {cut}, {expect['max_cut']} allowed", run)


def check_persist(judge, folder, case, ranks, work):
    options, expect = case["options"], case["expect"]
    store = f"{work}/store/matrix.h5"
    os.makedirs(f"{work}/store", exist_ok=True)
    words = ["--compress"] if options.get("compression") else []
    run = Run(ranks, "partition", f"{folder}/A.mtx", "-n", str(ranks), "-o", store, *words, env=options.get("env"))
    judge.expect(run.status == 0, "a store expected", run)
    if options.get("readonly"):
        os.chmod(store, stat.S_IRUSR)
        os.chmod(f"{work}/store", stat.S_IRUSR | stat.S_IXUSR)
    for q in options["load_ranks"]:
        run = Run(q, "solve", store, "--rhs", f"{folder}/b.mtx", "--rtol", "1e-13", "--output", f"{work}/x.mtx",
                  env=options.get("env"))
        judge.expect(run.status in (0, 1), "a store can be solved on any number of ranks", run)
        if run.status in (0, 1):
            error = relative_error(read_dense(f"{work}/x.mtx"), read_dense(f"{folder}/x_ref.mtx"))
            judge.expect(error <= expect["x_rel_tol"], f"x in the file's numbering is off by {error:.1e}", run)
    os.chmod(f"{work}/store", stat.S_IRWXU)


def check_spmv(judge, folder, case, ranks, work):
    for _ in range(3):
        run = Run(ranks, "multiply", f"{folder}/A.mtx", "--vector", f"{folder}/x.mtx", "--power",
                  str(case["options"]["power"]), "--output", f"{work}/y.mtx")
        judge.expect(run.status == 0, "powers expected", run)
        error = relative_error(read_dense(f"{work}/y.mtx"), read_dense(f"{folder}/y_ref.mtx"))
        judge.expect(error <= case["expect"]["y_rel_tol"], f"A^k x is off by {error:.1e}", run)


def check_convert(judge, folder, case, ranks, work):
    for source, target in ((f"{folder}/A.mtx", f"{work}/a.h5"), (f"{work}/a.h5", f"{work}/a.mtx")):
        run = Run(ranks, "convert", source, target, limit=120)
        judge.expect(run.status == 0, "conversion expected to succeed", run)
    lines = [line for line in open(f"{work}/a.mtx") if not line.startswith("%")][1:]
    entries = [[int(i), int(j), float(v)] for i, j, v in (line.split() for line in lines)]
    judge.expect(sorted(entries) == case["expect"]["entries"], f"entries {entries}")


def check_cli(judge, folder, case, ranks, work):
    for name in as_list(case["options"]["A"]):
        run = Run(ranks, "solve", f"{folder}/{name}", "--output", f"{work}/x.mtx")
        if case["expect"]["outcome"] == "refused":
            judge.refused(run, case["expect"])
            judge.expect(not os.path.exists(f"{work}/x.mtx"), "a refused run left an output file", run)
        else:
            judge.expect(run.status in (0, 3), "a result or a refusal expected", run)


CHECKS = dict(read=check_read, solve=check_solve, partition=check_partition, persist=check_persist, spmv=check_spmv,
              convert=check_convert, cli=check_cli)


def main():
    wanted = tuple(sys.argv[3:]) or ("",)
    names = [n for n in sorted(os.listdir(f"{HERE}/data")) if n.startswith(wanted)]
    if not names:
        sys.exit(f"no case begins with {wanted}")
    for name in names:
        folder = f"{HERE}/data/{name}"
        case = json.load(open(f"{folder}/expect.json"))
        before, start = len(failures), time.monotonic()
        for ranks in case["ranks"]:
            with tempfile.TemporaryDirectory() as work:
                CHECKS[case["op"]](Judge(f"{name} on {ranks}"), folder, case, ranks, work)
        print(f"{'ok  ' if len(failures) == before else 'FAIL'} {name} ({time.monotonic() - start:.1f} s)", flush=True)
    print("\n".join(failures))
    sys.exit(1 if failures else 0)


main()
