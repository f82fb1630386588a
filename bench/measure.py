"""What the measuring scripts share: runs under mpirun, medians, the state of the machine."""
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ATOLL = os.environ.get("ATOLL", str(ROOT / "build" / "bin" / "atoll"))

# As scripts/mpi-env.sh, except that ranks are bound to cores, since nothing else shall run beside them.
ENVIRONMENT = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMPI_MCA_rmaps_base_oversubscribe": "1",
    "OMPI_MCA_pml": "ob1",
    "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_oob_tcp_if_include": "lo",
    "OMP_NUM_THREADS": "1",
}


def busy_seconds():
    fields = [int(f) for f in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    return (sum(fields) - fields[3] - fields[4]) / os.sysconf("SC_CLK_TCK")


def wait_until_quiet(limit_s=float(os.environ.get("QUIET_WAIT_S", "60"))):
    """Waits until the machine does nothing else (less than a tenth of a processor); True if it got quiet."""
    end = time.monotonic() + limit_s
    while True:
        before = busy_seconds()
        time.sleep(0.5)
        if busy_seconds() - before < 0.05:
            return True
        if time.monotonic() > end:
            return False


def mpirun(ranks, command):
    """Runs the command and returns what it printed; ends this program with its words if it cannot run."""
    bind = [] if ranks <= (os.cpu_count() or 1) else ["--bind-to", "none"]
    full = ["mpirun", *bind, "-n", str(ranks), *map(str, command)]
    return subprocess.run(full, env={**os.environ, **ENVIRONMENT}, capture_output=True, text=True, check=False)


def atoll(ranks, *arguments):
    """One run of the command; its JSON report. Status 1 (stopped by the iteration limit) is a result here."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = mpirun(ranks, [ATOLL, *arguments, "--json", report])
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(map(str, arguments))} ended with {done.returncode}:\n{done.stderr}")
        return json.loads(report.read_text())


def repeat(times, runs):
    """Runs each of {name: function} `times` times, interleaved; {name: [results]} and whether all was quiet."""
    results = {name: [] for name in runs}
    quiet = True
    for _ in range(times):
        for name, run in runs.items():
            quiet &= wait_until_quiet()
            results[name].append(run())
    return results, quiet


def median(values):
    return statistics.median(values)


def machine():
    model = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), "unknown processor")
    version = subprocess.run([ATOLL, "--version"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{version}; {model}, {os.cpu_count()} cores; {time.strftime('%Y-%m-%d')}"


def table(header, rows, quiet=True):
    print("| " + " | ".join(header) + " |")
    print("|" + " --- |" * len(header))
    for row in rows:
        print("| " + " | ".join(str(cell) for cell in row) + " |")
    if not quiet:
        print("\n**The machine did other work meanwhile: upper bounds only.**")


def need(program, package):
    if not shutil.which(program):
        sys.exit(f"{program} is missing: apt-get install {package}")
