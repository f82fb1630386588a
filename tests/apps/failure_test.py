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


class Ranges(CommandTest):
    """Numbers that the precision cannot hold: too large is refused, too small is told."""

    def matrix(self, *lines, n=3):
        with open(self.path("a.mtx"), "w") as file:
            file.write(f"%%MatrixMarket matrix coordinate real general\n{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n")
        return self.path("a.mtx")

    def test_duplicates_whose_sum_overflows(self):
        matrix = self.matrix("1 1 1", "2 3 1e308", "3 3 1", "2 3 1.7e308", "2 2 1")
        vector = write_array(self.path("v.mtx"), [[1.0] * 3])
        for call in (["solve", matrix], ["info", matrix], ["convert", matrix, self.path("b.mtx")], ["convert", matrix, self.path("b.h5")],
                     ["partition", matrix, "-n", "2", "-o", self.path("p.txt")], ["multiply", matrix, "--vector", vector]):
            for ranks in (1, 3):
                with self.subTest(call=call, ranks=ranks):
                    self.assert_refused(atoll(*call, ranks=ranks), 3, "a.mtx", "entry (2, 3)", "too large")
        self.assert_files("a.mtx", "v.mtx")

    def test_a_store_that_holds_no_number(self):
        store, vector = self.path("a.h5"), write_array(self.path("v.mtx"), [[1.0] * 4])
        harness.call([os.environ["STORE_PROGRAM"], "write-nan", store])
        for call in (["solve", store], ["info", store], ["convert", store, self.path("b.mtx")], ["convert", store, self.path("b.h5")],
                     ["partition", store, "-n", "2", "-o", self.path("p.txt")], ["multiply", store, "--vector", vector]):
            for ranks in (1, 3):
                with self.subTest(call=call, ranks=ranks):  # the last row, number 2 in the file, and column 3
                    self.assert_refused(atoll(*call, ranks=ranks), 3, "a.h5", "entry (2, 3) is not a finite number")
        self.assert_files("a.h5", "v.mtx")

    def test_values_too_large_for_float(self):
        matrix = self.matrix("1 1 1", "2 2 1e39", "3 3 1")
        for ranks in (1, 2):
            self.assert_refused(atoll("solve", matrix, "--precision", "float", ranks=ranks), 3, "a.mtx:4", "single precision")
            self.assert_status(atoll("solve", matrix, ranks=ranks), 0)

    def test_values_too_small_are_kept_and_told(self):
        matrix = self.matrix("1 1 1", "1 2 1e-60", "2 1 1e-60", "2 2 1", "3 3 1")
        atoll("convert", matrix, self.path("a.h5"), "-n", "2")
        for name in ("a.mtx", "a.h5"):
            for ranks in (None, 3):
                run = atoll("solve", self.path(name), "--precision", "float", "--rtol", "1e-5", "--json", self.path("r.json"), ranks=ranks)
                self.assert_status(run, 0)
                report = self.report("r.json")
                self.assertEqual(report["matrix"]["nnz"], 5)
                self.assertEqual(len([n for n in report["notes"] if f"{name}: 2 values underflow to zero in float" in n]), 1, report)
                self.assertEqual(run.out.count("2 values underflow to zero in float"), 1)
        run = atoll("info", self.matrix("1 1 1", "1 3 -1e-999", "3 3 2"), ranks=2)
        self.assertIn("1 value underflows to zero in double", run.out)
        self.assertIn("1 stored zero", run.out)
        run = atoll("solve", "anisotropic2d:4x4,epsilon=1e-60", "--precision", "float", "--rtol", "1e-4", ranks=2)
        self.assertIn("24 values underflow", run.out)  # two for each of the 12 pairs along y

    def test_a_vector_whose_values_are_too_small(self):
        with open(self.path("b.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix array real general\n4 1\n1\n1e-50\n0\n1\n")
        run = atoll("solve", "poisson2d:2x2", "--rhs", self.path("b.mtx"), "--precision", "float", "--rtol", "1e-5", ranks=2)
        self.assert_status(run, 0)
        self.assertIn("b.mtx: 1 value underflows to zero in float", run.out)


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
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            process = self.start()
            process.send_signal(number)
            self.assertEqual(self.finish(process), 128 + number)
            self.assert_files()

    def test_what_is_ignored_stays_ignored(self):
        process = self.start("nohup")
        process.send_signal(signal.SIGHUP)
        self.assertIsNone(process.poll())
        while not process.stdout.readline().startswith("iteration    100"):
            self.assertIsNone(process.poll(), "ended by SIGHUP")
        process.send_signal(signal.SIGTERM)
        self.assertEqual(self.finish(process), 128 + signal.SIGTERM)

    def test_a_signal_while_a_file_is_written_leaves_no_part_of_it(self):
        # mpirun passes the signal on after a second or so: by then the file may be finished, which is as well.
        for start, size in (([], 1000), ([harness.MPIRUN, "--timeout", "90", "-n", "2"], 1600)):
            call = [harness.ATOLL, "generate", f"poisson2d:{size}x{size}", "-o", self.path("a.mtx")]
            process = subprocess.Popen(start + call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.addCleanup(process.stderr.close)
            self.addCleanup(process.stdout.close)
            while not os.listdir(self.folder):
                self.assertIsNone(process.poll(), "ended before it wrote")
            process.send_signal(signal.SIGTERM)
            status = self.finish(process)
            if start:
                self.assertNotIn(".part", "".join(os.listdir(self.folder)))
            else:
                self.assertEqual(status, 128 + signal.SIGTERM)
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
