"""The command line: help, usage errors, options and doctor."""

import json
import os
import subprocess
import unittest

import harness
from harness import CommandTest, atoll

COMMANDS = ["solve", "multiply", "partition", "convert", "info", "generate", "options", "doctor"]


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
        self.assertIn("not in this build: cg-pipelined", text)

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
        self.assert_usage(["bench"], "bench", "not in this build")
        self.assert_usage(["eigs", "poisson2d:3x3", "-k", "2"], "eigs", "not in this build")

    def test_unknown_options_name_the_nearest(self):
        self.assert_usage(["solve", "poisson2d:3x3", "--rtoll", "1"], "--rtoll", "did you mean --rtol?")
        self.assert_usage(["solve", "poisson2d:3x3", "--max-iteration=5"], "did you mean --max-iterations?")
        self.assert_usage(["solve", "poisson2d:3x3", "-z"], "-z")
        self.assert_usage(["info", "poisson2d:3x3", "--rtol", "1e-3"], "not an option of 'atoll info'")
        self.assert_usage(["solve", "poisson2d:3x3", "--bogus\n\x1b[31m"], "unknown option")

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


class Output(CommandTest):
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
