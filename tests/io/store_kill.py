"""kill -9 in the middle of writing leaves a whole store: store_kill.py TOOL MPIRUN RANKS KILLS"""

import os
import random
import signal
import subprocess
import sys
import tempfile
import time


def wait_for(condition, what, seconds=60):
    end = time.time() + seconds
    while not condition():
        if time.time() > end:
            sys.exit(f"waited {seconds} s for {what}")
        time.sleep(0.0005)


def parts(folder):
    return [os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".part")]


def kill_once(command, tool, path, ranks, delay):
    """Returns whether the writers died in the middle of a file."""
    folder = os.path.dirname(path)
    pids = [f"{path}.pid.{rank}" for rank in range(ranks)]
    for name in pids + parts(folder):
        if os.path.exists(name):
            os.remove(name)
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_for(lambda: all(os.path.exists(n) and os.path.getsize(n) for n in pids), "the writers to start")
    wait_for(lambda: os.path.exists(path) and parts(folder), "a file under way")
    time.sleep(delay)
    for name in pids:
        with open(name) as file:
            os.kill(int(file.read()), signal.SIGKILL)
    run.wait(timeout=60)
    found = subprocess.run([tool, "check", path], capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"after a kill at {delay:.3f} s: status {found.returncode}: {found.stderr}")
    return bool(parts(folder))


def main():
    tool, mpirun, ranks, kills = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.h5")
        start = [] if ranks == 1 else [mpirun, "--timeout", "60", "-n", str(ranks)]
        hits = tries = 0
        while hits < kills and tries < 4 * kills:
            tries += 1
            hits += kill_once(start + [tool, "write", path], tool, path, ranks, random.uniform(0, 0.01))
        print(f"{tries} kills, {hits} of them in the middle of a file")
        if hits == 0:
            sys.exit("no kill was in the middle of a file")


main()
