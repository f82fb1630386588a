"""The command line: help, usage errors, options and doctor."""

import json
import os
import pty
import re
import shlex
import subprocess
import unittest

import harness
from harness import CommandTest, atoll

COMMANDS = ["solve", "multiply", "partition", "convert", "info", "generate", "bench", "options", "doctor"]


class Help(CommandTest):
    def test_general_help_names_every_command_and_status(self):
        for call in (["--help"], ["-h"], ["help"]):
            run = atoll(*call)
            self.assert_status(run, 0)
            for word in COMMANDS + ["poisson2d", "Exit status", "128 + N"]:
                self.assertIn(word, run.out)

    def test_each_command_explains_itself(self):
        for command in COMMANDS:
            run = atoll(command, "--help")
            self.assert_status(run, 0)
            for word in ["Usage", "Options", "Examples", "Exit status", f"atoll {command}"]:
                self.assertIn(word, run.out)
            self.assertEqual(run.errors, [])
            self.assertLessEqual(max(len(line) for line in run.out.splitlines()), 110)

    def test_help_comes_once_and_wins_over_what_is_missing(self):
        run = atoll("multiply", "--help", ranks=3)
        self.assert_status(run, 0)
        self.assertEqual(run.out.count("Usage"), 1)
        self.assertIn("--transpose", run.out)
        self.assertIn("anisotropic2d", run.out)

    def test_defaults_and_ranges_are_told(self):
        text = " ".join(atoll("solve", "--help").out.split())
        self.assertIn("(default 1e-8)", text)
        self.assertIn("(default A*ones)", text)
        self.assertIn(">= 0 and < 1", text)
        self.assertIn("not in this build: minres", text)

    def test_required_options_are_marked(self):
        for command, options in [("multiply", ["--vector FILE"]), ("partition", ["-n P", "-o FILE"]), ("generate", ["-o FILE"]),
                                 ("solve", []), ("convert", [])]:
            text = atoll(command, "--help").out
            self.assertEqual(text.count("REQUIRED"), len(options), text)
            for option in options:
                self.assertIn(option, text.split("Usage")[1].split("\n\n")[0])
        self.assertIn("required by partition, generate", atoll("options").out)

    def test_each_command_says_what_its_output_is(self):
        for command, word, foreign in [("solve", "answer x", ".txt"), ("multiply", "product y", ".txt"),
                                       ("partition", "0-based part number", "Matrix Market array"),
                                       ("generate", "Matrix Market file", ".txt")]:
            text = " ".join(atoll(command, "--help").out.split())
            text = text[text.index("-o, --output FILE"):]
            text = text[:text.index("Options: ")]
            self.assertIn(word, text)
            self.assertNotIn(foreign, text)

    def test_version(self):
        run = atoll("--version")
        self.assert_status(run, 0)
        self.assertRegex(run.out, r"^atoll \d+\.\d+\.\d+\n$")


class Usage(CommandTest):
    def assert_usage(self, call, *mentioned, ranks=None):
        self.assert_refused(atoll(*call, ranks=ranks), 2, *mentioned, lines=3)
        self.assert_files()

    def test_no_command_and_unknown_commands(self):
        self.assert_usage([], "command")
        self.assert_usage(["slove", "poisson2d:3x3"], "did you mean solve?")
        self.assert_usage(["--rtol", "1e-3", "solve"], "first argument")
        self.assert_usage(["svd", "poisson2d:3x3"], "svd", "not in this build")
        self.assert_usage(["eigs", "poisson2d:3x3", "-k", "2"], "eigs", "not in this build")

    def test_unknown_options_name_the_nearest(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--rtoll", "1"], "--rtoll", "did you mean --rtol?")
        self.assert_usage(["solve", "poisson2d:3x3", "--max-iteration=5"], "did you mean --max-iterations?")
        self.assert_usage(["solve", "poisson2d:3x3", "-z"], "-z")
        self.assert_usage(["info", "poisson2d:3x3", "--rtol", "1e-3"], "not an option of 'atoll info'")
        self.assert_usage(["solve", "poisson2d:3x3", "--bogus\n\x1b[31m"], "unknown option")

    def test_a_hint_names_a_command_that_is_there_and_comes_once(self):
        for call, hint in [(["slove", "poisson2d:3x3"], "see 'atoll --help'"), (["eigs", "A.mtx"], "see 'atoll --help'"),
                           (["solve", "A.mtx", "-z"], "see 'atoll solve --help'"),
                           (["solve", "A.mtx", "--bogus"], "see 'atoll solve --help'"),
                           (["partition", "A.mtx"], "see 'atoll partition --help'")]:
            run = atoll(*call)
            self.assert_refused(run, 2, hint, lines=2)
            self.assertEqual(run.err.count("--help"), 1, run)

    def test_a_long_option_with_one_dash(self):
        for word in ("-rtol", "-output", "-rtol=1e-3"):
            self.assert_usage(["solve", "poisson2d:3x3", word, "1e-8"], "two dashes: --" + word[1:].split("=")[0])

    def test_an_option_of_another_command_names_it(self):
        self.assert_usage(["solve", "poisson2d:3x3", "-n", "4"], "-n", "partition, convert, generate and plan", "mpirun -n P atoll solve")
        self.assert_usage(["info", "poisson2d:3x3", "--rhs", "ones"], "but of solve")
        self.assert_usage(["info", "poisson2d:3x3", "-o", "x"], "-o", "but of solve, partition, multiply and generate")

    def test_a_dash_is_no_file(self):
        for call in (["solve", "poisson2d:3x3", "-o", "-"], ["generate", "poisson2d:3x3", "--output=-"], ["solve", "-"],
                     ["convert", "poisson2d:3x3", "-"], ["solve", "poisson2d:3x3", "--rhs", "-"],
                     ["multiply", "poisson2d:3x3", "--vector", "-"]):
            run = atoll(*call, cwd=self.folder)
            self.assert_refused(run, 2, "only --json -", lines=3)
        self.assert_files()

    def test_what_this_build_lacks_is_refused_by_name(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--checkpoint", "c.h5"], "--checkpoint", "this build")
        self.assert_usage(["solve", "poisson2d:3x3", "--report", "r.html"], "--report", "this build")

    def test_an_option_given_twice_is_an_error(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--rtol", "1e-3", "--rtol", "1e-4"], "--rtol", "more than once")
        self.assert_usage(["solve", "poisson2d:3x3", "--monitor", "--monitor"], "--monitor", "more than once")
        self.assert_usage(["solve", "poisson2d:3x3", "-o", "a.mtx", "--output=b.mtx"], "--output", "more than once")

    def test_values_out_of_range(self):
        for option, value in [("rtol", "1"), ("rtol", "-1e-8"), ("rtol", "nan"), ("rtol", "1,5"), ("rtol", "1e-8x"),
                              ("atol", "inf"), ("max-iterations", "1.5"), ("max-iterations", "-1"),
                              ("max-iterations", "99999999999999999999"), ("threads", "0"), ("imbalance", ""),
                              ("null-space", "maybe"), ("partitioner", "parmetis"), ("precision", "half"),
                              ("time-limit", "-1")]:
            with self.subTest(option=option, value=value):
                self.assert_usage(["solve", "poisson2d:3x3", f"--{option}={value}"], f"--{option}")

    def test_a_value_is_missing(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--rtol"], "--rtol")
        self.assert_usage(["solve", "poisson2d:3x3", "--output", "--monitor"], "--output")

    def test_too_few_and_too_many_arguments(self):
        self.assert_usage(["solve"], "MATRIX")
        self.assert_usage(["solve", ""], "empty")
        self.assert_usage(["solve", "poisson2d:3x3", "poisson2d:4x4"], "too many")
        self.assert_usage(["convert", "poisson2d:3x3"], "IN OUT")
        self.assert_usage(["partition", "poisson2d:3x3", "-o", self.path("p.txt")], "--parts")
        self.assert_usage(["partition", "poisson2d:3x3", "-n", "2"], "--output")
        self.assert_usage(["multiply", "poisson2d:3x3"], "--vector")
        self.assert_usage(["generate", "poisson2d:3x3"], "--output")

    def test_endings_of_output_files(self):
        self.assert_usage(["partition", "poisson2d:3x3", "-n", "2", "-o", self.path("p.csv")], ".txt", ".h5")
        self.assert_usage(["convert", "poisson2d:3x3", self.path("a.petsc")], ".mtx", ".h5")
        self.assert_usage(["convert", "poisson2d:3x3", self.path("a.mtx"), "-n", "2"], "only a store")

    def test_an_output_never_replaces_an_input_or_another_output(self):
        matrix, link = self.path("a.mtx"), self.path("link.mtx")
        self.assert_status(atoll("generate", "poisson2d:3x3", "-o", matrix), 0)
        os.symlink(matrix, link)
        with open(matrix, "rb") as file:
            before = file.read()
        for call in (["solve", matrix, "-o", matrix], ["solve", matrix, "-o", link], ["solve", link, "--json", matrix],
                     ["multiply", "poisson2d:3x3", "--vector", matrix, "-o", matrix], ["info", matrix, "--json", link]):
            run = atoll(*call)
            self.assert_status(run, 2)
            self.assertIn("replace an input", run.err)
        out = self.path("out")
        run = atoll("solve", matrix, "-o", out, "--json", out)
        self.assert_status(run, 2)
        self.assertIn("replace another output", run.err)
        self.assertFalse(os.path.exists(out))
        with open(matrix, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_unknown_model_problems_and_names(self):
        self.assert_usage(["solve", "poison2d:3x3"], "poisson2d")
        self.assert_usage(["solve", "poisson2d:3"], "poisson2d")
        self.assert_usage(["generate", "A.mtx", "-o", self.path("b.mtx")], "A.mtx")
        self.assert_usage(["solve", "poisson2d:3x3", "--method", "cgg"], "did you mean")
        self.assert_usage(["solve", "poisson2d:3x3", "--preconditioner", "jacoby"], "jacobi")

    def test_known_names_that_this_build_lacks(self):
        self.assert_refused(atoll("solve", "poisson2d:3x3", "--method", "gmres"), 4, "gmres", "not in this build")
        self.assert_refused(atoll("solve", "poisson2d:3x3", "--preconditioner", "amg"), 4, "amg", "not in this build")
        self.assert_refused(atoll("solve", "poisson2d:3x3", "--precision", "mixed"), 4, "mixed", "not in this build")
        self.assert_refused(atoll("solve", "poisson2d:3x3", "--device", "cuda"), 4, "cuda", "not in this build")

    def test_many_ranks_complain_once(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--rtoll", "1"], "--rtol", ranks=3)


class Options(CommandTest):
    def test_every_option_with_default_range_and_advice(self):
        run = atoll("options", "--json", "-")
        self.assert_status(run, 0)
        rows = {row["name"]: row for row in json.loads(run.out)["options"]}
        for name in ["rhs", "method", "preconditioner", "rtol", "atol", "max-iterations", "time-limit", "initial",
                     "null-space", "output", "json", "monitor", "partitioner", "device", "threads", "precision",
                     "imbalance"]:
            self.assertIn(name, rows)
            for key in ["default", "expects", "doc", "advice", "commands", "group"]:
                self.assertIn(key, rows[name])
        self.assertEqual(rows["rtol"]["default"], "1e-8")
        self.assertEqual(rows["imbalance"]["default"], "0.03")
        self.assertIn("solve", rows["rtol"]["commands"])

        text = atoll("options").out
        for name, row in rows.items():
            self.assertIn(f"--{name}", text)
            self.assertIn(row["advice"], text)


class Doctor(CommandTest):
    def test_a_healthy_machine(self):
        run = atoll("doctor", "--json", self.path("d.json"), ranks=2)
        self.assert_status(run, 0)
        report = self.report("d.json")
        self.assertTrue(report["healthy"])
        self.assertEqual(report["ranks"], 2)
        self.assertTrue(report["hdf5"]["works"] and report["transport"]["works"] and report["self_test"]["works"])
        for word in ["MPI", "HDF5", "METIS", "PT-Scotch", "plug-in", "transport", "huge pages"]:
            self.assertIn(word, run.out)
        self.assertIn("hypre", {row["name"] for row in report["plugins"]})


def on_a_terminal(*command):
    """Runs a command whose standard streams are a terminal; its status and all it wrote there."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    written = b""
    try:
        while block := os.read(terminal, 65536):
            written += block
    except OSError:  # the terminal's end
        pass
    os.close(terminal)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), written.decode()


class Progress(CommandTest):
    SOLVE = ["solve", "poisson2d:60x60"]
    RANKS = [harness.MPIRUN, "--timeout", "90", "-n", "2"]
    SHOWN = "\x1b[Ksolve"

    def test_on_a_terminal_with_and_without_mpirun(self):
        for start in ([], self.RANKS):
            status, text = on_a_terminal(*start, harness.ATOLL, *self.SOLVE)
            self.assertEqual(status, 0, text)
            self.assertIn(self.SHOWN, text)
            status, text = on_a_terminal(*start, harness.ATOLL, *self.SOLVE, "--progress", "never")
            self.assertEqual(status, 0, text)
            self.assertNotIn("\x1b", text)

    def test_a_log_has_none_although_a_terminal_is_near(self):
        log = self.path("log")
        for start in ("", shlex.join(self.RANKS)):
            call = f"{start} {shlex.join([harness.ATOLL] + self.SOLVE)}"
            for line in (f"{call} 2>&1 | cat >{log}", f"{call} >{log} 2>&1", f"{call} 2>{log}; cat {log}"):
                status, text = on_a_terminal("bash", "-c", line)
                self.assertEqual(status, 0, text)
                with open(log) as file:
                    self.assertNotIn("\x1b", file.read() + text)

    def test_always_where_it_is_asked_for(self):
        for ranks in (None, 2):
            run = atoll(*self.SOLVE, "--progress", "always", ranks=ranks)
            self.assert_status(run, 0)
            self.assertIn(self.SHOWN, run.err)
            self.assertNotIn("\x1b", run.out)
            self.assertNotIn("\x1b", atoll(*self.SOLVE, ranks=ranks).err)

    def test_a_long_read_tells_how_far_it_is(self):
        self.assert_status(atoll("generate", "poisson2d:900x900", "-o", self.path("a.mtx")), 0)
        shares = re.findall(r"read: (\d+) %", atoll("info", self.path("a.mtx"), "--progress", "always").err)
        self.assertTrue(shares)
        self.assertTrue(all(0 < int(share) <= 100 for share in shares), shares)


class Output(CommandTest):
    def test_ranks_that_share_cores_are_noted(self):
        cores = len(os.sched_getaffinity(0))
        many, words = cores + 1, f"{cores + 1} ranks of 1 thread each on a machine with {cores} core"
        run = atoll("solve", "poisson2d:9x9", "--json", self.path("r.json"), ranks=many)
        self.assert_status(run, 0)
        self.assertEqual(run.out.count(words), 1, run)
        self.assertEqual(len([note for note in self.report("r.json")["notes"] if words in note]), 1)
        run = atoll("convert", "poisson2d:9x9", self.path("a.mtx"), ranks=many)
        self.assertEqual(run.out.count(words), 1, run)
        run = atoll("solve", "poisson2d:9x9", "--threads", str(many), "--json", self.path("r.json"))
        self.assertIn(f"1 rank of {many} threads", run.out)
        self.assert_status(atoll("solve", "poisson2d:9x9", "--json", self.path("r.json")), 0)
        self.assertEqual(self.report("r.json")["notes"], [])

    def test_quiet_says_nothing(self):
        run = atoll("solve", "poisson2d:4x4", "--quiet", "--json", self.path("r.json"))
        self.assert_status(run, 0)
        self.assertEqual(run.out, "")
        self.assertTrue(self.report("r.json")["converged"])

    def test_quiet_still_says_why_there_is_no_answer(self):
        for ranks in (None, 2):
            run = atoll("solve", "poisson2d:20x20", "--quiet", "--max-iterations", "2", ranks=ranks)
            self.assert_status(run, 1)
            self.assertEqual(run.out, "")
            said = [line for line in run.err.splitlines() if line.startswith("atoll: ")]
            self.assertEqual(len(said), 1, run.err)
            self.assertIn("iteration limit", said[0])

    def test_a_part_file_is_checked_on_one_rank_too(self):
        self.assert_status(atoll("solve", "poisson2d:4x4", "--partitioner", "file:" + self.path("missing.txt")), 3)
        with open(self.path("parts.txt"), "w", encoding="ascii") as file:
            file.write("0\n" * 16)
        self.assert_status(atoll("solve", "poisson2d:4x4", "--partitioner", "file:" + self.path("parts.txt")), 0)

    def test_json_on_standard_output_is_alone_there(self):
        run = atoll("solve", "poisson2d:4x4", "--json", "-", "--monitor", ranks=2)
        self.assert_status(run, 0)
        self.assertTrue(json.loads(run.out)["converged"])
        self.assertIn("iteration", run.err)

    def test_a_full_standard_output_is_noticed(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([harness.ATOLL, "options"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertTrue(done.stderr.startswith("atoll: standard output"), done.stderr)


if __name__ == "__main__":
    unittest.main()
