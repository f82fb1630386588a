"""What bad files, signals and kills get: one line, one status, nothing half-written."""

import os
import signal
import subprocess
import unittest

import harness
from harness import CommandTest, atoll, read_array, write_array, write_matrix


class BadFiles(CommandTest):
    def test_missing_files_and_folders(self):
        for ranks in (None, 1, 4):
            self.assert_refused(atoll("solve", self.path("missing.mtx"), ranks=ranks), 3, "missing.mtx")
            self.assert_refused(atoll("solve", self.folder, ranks=ranks), 3, "folder")
        for call in (["info", "missing.mtx"], ["convert", "missing.mtx", "b.h5"], ["partition", "missing.mtx", "-n", "2", "-o", "p.txt"],
                     ["multiply", "missing.mtx", "--vector", "v.mtx", "-o", "y.mtx"],
                     ["multiply", "poisson2d:3x3", "--vector", "missing.mtx", "-o", "y.mtx"],
                     ["solve", "poisson2d:3x3", "--rhs", "missing.mtx"], ["solve", "poisson2d:3x3", "--initial", "missing.mtx"],
                     ["solve", "poisson2d:3x3", "--partitioner", "file:missing.mtx"]):
            with self.subTest(call=call):
                self.assert_refused(atoll(*call, ranks=2, cwd=self.folder), 3, "missing.mtx")
        self.assert_files()

    def test_files_that_are_no_matrices(self):
        for name, content in [("empty.mtx", b""), ("text.mtx", b"1 2 3\n"), ("noise.bin", bytes(range(256)) * 8),
                              ("hdf5.h5", b"\x89HDF\r\n\x1a\n" + bytes(100)),
                              ("zero.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 1\n0 1 1.0\n"),
                              ("complex.mtx", b"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1.0 2.0\n"),
                              ("cut.mtx", b"%%MatrixMarket matrix coordinate real general\n2 2 3000000000\n1 1 1.0\n")]:
            with open(self.path(name), "wb") as file:
                file.write(content)
            for ranks in (1, 3):
                with self.subTest(name=name, ranks=ranks):
                    run = atoll("solve", self.path(name), "-o", self.path("x.mtx"), "--json", self.path("r.json"), ranks=ranks)
                    self.assert_refused(run, 3, name)
                    self.assertFalse(os.path.exists(self.path("x.mtx")) or os.path.exists(self.path("r.json")))

    def test_names_that_would_forge_a_line(self):
        self.assert_refused(atoll("solve", "no\natoll: \x1b[2Jsuch\x85file"), 3, "\\x0a", "\\x1b")

    def test_an_older_output_stays_when_a_run_is_refused(self):
        write_array(self.path("x.mtx"), [[1.0, 2.0]])
        matrix = write_matrix(self.path("a.mtx"), [[1.0, 2.0]])
        self.assert_refused(atoll("solve", matrix, "-o", self.path("x.mtx"), ranks=2), 3, "square")
        self.assertEqual(read_array(self.path("x.mtx")), [[1.0, 2.0]])
        self.assert_files("a.mtx", "x.mtx")

    def test_devices_are_no_outputs_to_replace(self):
        before = os.stat("/dev/null").st_mode
        self.assert_status(atoll("solve", "poisson2d:3x3", "--json", "/dev/null", "-o", "/dev/null", ranks=2), 0)
        self.assertEqual(os.stat("/dev/null").st_mode, before)

    def test_the_locale_changes_nothing(self):
        environment = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        matrix = write_matrix(self.path("a.mtx"), [[2.5, 0.0], [0.0, 0.5]])
        run = atoll("solve", matrix, "--rtol", "1.5e-7", "-o", self.path("x.mtx"), "--json", self.path("r.json"), env=environment)
        self.assert_status(run, 0)
        self.assert_close(read_array(self.path("x.mtx"))[0], [1.0, 1.0], 1e-12)
        self.assertEqual(self.report("r.json")["rtol"], 1.5e-7)


def children_of(parent):
    children = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                if int(file.read().rpartition(")")[2].split()[1]) == parent:
                    children.append(int(pid))
        except OSError:
            pass  # it has ended meanwhile
    return sorted(children)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Signals(CommandTest):
    """A solve that would take minutes is ended from outside."""

    LONG = ["solve", "poisson2d:700x700", "--rhs", "random", "--rtol", "0", "--max-iterations", "1000000", "--monitor"]

    def start(self, *start):
        command = list(start) + [harness.ATOLL] + self.LONG + ["-o", self.path("x.mtx"), "--json", self.path("r.json")]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        while not process.stdout.readline().startswith("iteration"):
            self.assertIsNone(process.poll(), "ended before its first iteration")
        return process

    def finish(self, process):
        process.stdout.read()
        process.stderr.read()
        return process.wait(timeout=60)

    def test_a_signal_ends_the_run_with_its_number(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            process = self.start()
            process.send_signal(number)
            self.assertEqual(self.finish(process), 128 + number)
            self.assert_files()

    def test_a_signal_to_one_rank_ends_all(self):
        process = self.start(harness.MPIRUN, "--timeout", "90", "-n", "3")
        children = children_of(process.pid)
        self.assertEqual(len(children), 3)
        os.kill(children[-1], signal.SIGTERM)
        self.assertEqual(self.finish(process), 128 + signal.SIGTERM)
        for child in children:
            self.assertFalse(is_running(child))
        self.assert_files()

    def test_a_kill_leaves_no_output(self):
        process = self.start()
        process.kill()
        self.assertEqual(self.finish(process), -signal.SIGKILL)
        self.assertFalse(os.path.exists(self.path("x.mtx")) or os.path.exists(self.path("r.json")))


class Alone(CommandTest):
    def test_a_rank_that_fails_alone_ends_the_job(self):
        run = harness.call([harness.MPIRUN, "--timeout", "60", "-n", "3", os.environ["ENDING_PROGRAM"]])
        self.assertEqual(run.status, 5, run)
        self.assertEqual(run.err.count("atoll: alone\\x0ahere\n"), 1, run)


if __name__ == "__main__":
    unittest.main()
