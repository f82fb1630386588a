"""atoll solve, end to end. Right answers come from Gaussian elimination here, or from theory."""

import math
import random
import re
import unittest

from harness import (CommandTest, atoll, poisson2d, random_spd, read_array, solve, write_array, write_matrix)

KEYS = ["atoll", "command", "matrix", "ranks", "threads", "device", "communicator", "partition", "method",
        "preconditioner", "rtol", "atol", "converged", "reason", "iterations", "relative_residual", "history", "time_s",
        "memory_bytes", "bytes_per_dof"]


class Answers(CommandTest):
    def test_random_systems_on_any_number_of_ranks(self):
        a = random_spd(40, seed=3)
        b = [random.Random(4).uniform(-1, 1) + i for i in range(40)]
        expected = solve(a, b)
        matrix = write_matrix(self.path("a.mtx"), a, symmetric=True)
        rhs = write_array(self.path("b.mtx"), [b])
        for ranks in (None, 1, 2, 3, 8):
            for partitioner in ("auto", "block") if ranks in (2, 3) else ("auto",):
                with self.subTest(ranks=ranks, partitioner=partitioner):
                    run = atoll("solve", matrix, "--rhs", rhs, "--rtol", "1e-12", "-o", self.path("x.mtx"),
                                "--partitioner", partitioner, ranks=ranks)
                    self.assert_status(run, 0)
                    self.assert_close(read_array(self.path("x.mtx"))[0], expected, 1e-10)
        self.assert_files("a.mtx", "b.mtx", "x.mtx")

    def test_every_method_and_preconditioner(self):
        expected = solve(poisson2d(6, 5), [1.0] * 30)
        for method in ("auto", "cg", "cg-textbook", "cg-pipelined"):
            for preconditioner in ("auto", "none", "jacobi"):
                with self.subTest(method=method, preconditioner=preconditioner):
                    run = atoll("solve", "poisson2d:6x5", "--rhs", "ones", "--rtol", "1e-12", "--method", method,
                                "--preconditioner", preconditioner, "-o", self.path("x.mtx"))
                    self.assert_status(run, 0)
                    self.assert_close(read_array(self.path("x.mtx"))[0], expected, 1e-11)

    def test_the_default_right_hand_side_has_the_answer_one(self):
        run = atoll("solve", "poisson3d:6x6x6", "--rtol", "1e-11", "-o", self.path("x.mtx"), ranks=3)
        self.assert_status(run, 0)
        self.assert_close(read_array(self.path("x.mtx"))[0], [1.0] * 216, 1e-9)

    def test_random_right_hand_sides_do_not_depend_on_the_ranks(self):
        answers = []
        for ranks in (1, 3):
            atoll("solve", "poisson2d:7x7", "--rhs", "random:5", "--rtol", "1e-13", "-o", self.path("x.mtx"), ranks=ranks)
            answers.append(read_array(self.path("x.mtx"))[0])
        self.assert_close(answers[1], answers[0], 1e-11)
        atoll("solve", "poisson2d:7x7", "--rhs", "random:6", "--rtol", "1e-13", "-o", self.path("x.mtx"))
        self.assertGreater(max(abs(u - v) for u, v in zip(read_array(self.path("x.mtx"))[0], answers[0])), 1e-3)

    def test_two_rows_on_eight_ranks(self):
        matrix = write_matrix(self.path("a.mtx"), [[2.0, -1.0], [-1.0, 2.0]])
        rhs = write_array(self.path("b.mtx"), [[0.0, 3.0]])
        for ranks in (1, 3, 8):
            run = atoll("solve", matrix, "--rhs", rhs, "--rtol", "1e-13", "-o", self.path("x.mtx"), ranks=ranks)
            self.assert_status(run, 0)
            self.assert_close(read_array(self.path("x.mtx"))[0], [1.0, 2.0], 1e-12)

    def test_the_iterations_of_two_distinct_eigenvalues(self):
        a = [[3.0 if i == j and i % 2 else 1.0 if i == j else 0.0 for j in range(12)] for i in range(12)]
        rhs = write_array(self.path("b.mtx"), [[1.0] * 12])
        atoll("solve", write_matrix(self.path("a.mtx"), a), "--rhs", rhs, "--preconditioner", "none", "--json",
              self.path("r.json"), "--rtol", "1e-12")
        self.assertEqual(self.report("r.json")["iterations"], 2)
        atoll("solve", self.path("a.mtx"), "--rhs", rhs, "--preconditioner", "jacobi", "--json", self.path("r.json"),
              "--rtol", "1e-12")
        self.assertEqual(self.report("r.json")["iterations"], 1)

    def test_float_solves_to_the_accuracy_of_float(self):
        run = atoll("solve", "poisson2d:8x8", "--precision", "float", "--rtol", "1e-5", "-o", self.path("x.mtx"), "--json",
                    self.path("r.json"), ranks=2)
        self.assert_status(run, 0)
        self.assert_close(read_array(self.path("x.mtx"))[0], [1.0] * 64, 1e-3)
        self.assertEqual(self.report("r.json")["precision"], "float")

    def test_a_matrix_that_is_negative_definite(self):
        a = [[-v for v in row] for row in poisson2d(4, 4)]
        expected = solve(a, [1.0] * 16)
        run = atoll("solve", write_matrix(self.path("a.mtx"), a), "--rhs", "ones", "--rtol", "1e-12", "-o",
                    self.path("x.mtx"), ranks=2)
        self.assert_status(run, 0)
        self.assert_close(read_array(self.path("x.mtx"))[0], expected, 1e-10)

    def test_scaling_changes_nothing(self):
        for scale in (1e-18, 1e18):
            a = [[scale * v for v in row] for row in poisson2d(5, 5)]
            run = atoll("solve", write_matrix(self.path("a.mtx"), a), "-o", self.path("x.mtx"), "--rtol", "1e-11")
            self.assert_status(run, 0)
            self.assert_close(read_array(self.path("x.mtx"))[0], [1.0] * 25, 1e-9)

    def test_a_store_and_a_vector_in_a_store(self):
        a = random_spd(30, seed=11)
        b = [float(i % 7) - 3 for i in range(30)]
        expected = solve(a, b)
        rhs = write_array(self.path("b.mtx"), [b])
        atoll("partition", write_matrix(self.path("a.mtx"), a), "-n", "3", "-o", self.path("a.h5"))
        for ranks in (1, 2, 3):
            run = atoll("solve", self.path("a.h5"), "--rhs", rhs, "--rtol", "1e-12", "-o", self.path("x.h5"), "--json",
                        self.path("r.json"), ranks=ranks)
            self.assert_status(run, 0)
            self.assertEqual(self.report("r.json")["partition"]["method"] == "stored", ranks == 3)
            # The answer goes in again as a guess: it is good enough at once.
            run = atoll("solve", self.path("a.mtx"), "--rhs", rhs, "--initial", self.path("x.h5"), "--rtol", "1e-10", "-o",
                        self.path("x.mtx"), "--json", self.path("r.json"), ranks=2)
            self.assertEqual(self.report("r.json")["iterations"], 0)
            self.assert_close(read_array(self.path("x.mtx"))[0], expected, 1e-10)

    def test_a_partition_from_a_file_may_leave_ranks_empty(self):
        with open(self.path("part.txt"), "w") as file:
            file.writelines(f"{1 + i % 2}\n" for i in range(25))
        for ranks in (3, 4):
            run = atoll("solve", "poisson2d:5x5", "--partitioner", "file:" + self.path("part.txt"), "--rtol", "1e-12", "-o",
                        self.path("x.mtx"), ranks=ranks)
            self.assert_status(run, 0)
            self.assert_close(read_array(self.path("x.mtx"))[0], [1.0] * 25, 1e-10)


class Endings(CommandTest):
    def test_zero_right_hand_side(self):
        rhs = write_array(self.path("b.mtx"), [[0.0] * 9])
        start = write_array(self.path("x0.mtx"), [[1.0] * 9])
        for more in ([], ["--initial", start]):
            run = atoll("solve", "poisson2d:3x3", "--rhs", rhs, "-o", self.path("x.mtx"), "--json", self.path("r.json"), *more)
            self.assert_status(run, 0)
            self.assertEqual(read_array(self.path("x.mtx"))[0], [0.0] * 9)
            self.assertEqual(self.report("r.json")["iterations"], 0)
            self.assertEqual(self.report("r.json")["relative_residual"], 0)

    def test_a_system_without_rows(self):
        matrix = write_matrix(self.path("a.mtx"), [])
        for ranks in (1, 3):
            run = atoll("solve", matrix, "--json", self.path("r.json"), "-o", self.path("x.mtx"), ranks=ranks)
            self.assert_status(run, 0)
            self.assertTrue(self.report("r.json")["converged"])
            self.assertEqual(self.report("r.json")["iterations"], 0)
            self.assertIsNone(self.report("r.json")["bytes_per_dof"])

    def test_one_row(self):
        matrix = write_matrix(self.path("a.mtx"), [[4.0]])
        run = atoll("solve", matrix, "-o", self.path("x.mtx"), ranks=2)
        self.assert_status(run, 0)
        self.assert_close(read_array(self.path("x.mtx"))[0], [1.0], 1e-14)

    def test_too_few_iterations_still_write_the_answer(self):
        for ranks in (1, 3):
            run = atoll("solve", "poisson2d:20x20", "--rhs", "random", "--max-iterations", "5", "-o", self.path("x.mtx"), "--json",
                        self.path("r.json"), ranks=ranks)
            self.assert_status(run, 1)
            self.assertIn("NOT CONVERGED", run.out)
            self.assertIn("--max-iterations", run.out)
            self.assertTrue(all(math.isfinite(v) for v in read_array(self.path("x.mtx"))[0]))
            report = self.report("r.json")
            self.assertFalse(report["converged"])
            self.assertEqual(report["reason"], "stopped_iterations")
            self.assertEqual(report["iterations"], 5)
            self.assertLess(report["relative_residual"], 1)

    def test_an_indefinite_matrix_is_not_called_solved(self):
        a = [[1.0, 0.0], [0.0, -1.0]]
        rhs = write_array(self.path("b.mtx"), [[1.0, 1.0]])
        for ranks in (1, 2):
            run = atoll("solve", write_matrix(self.path("a.mtx"), a), "--rhs", rhs, "--preconditioner", "none", "-o",
                        self.path("x.mtx"), "--json", self.path("r.json"), ranks=ranks)
            self.assert_status(run, 1)
            self.assertEqual(self.report("r.json")["reason"], "failed_indefinite_operator")
            self.assertTrue(all(math.isfinite(v) for v in read_array(self.path("x.mtx"))[0]))

    def test_a_tolerance_that_rounding_forbids(self):
        n = 12
        hilbert = [[1.0 / (i + j + 1) for j in range(n)] for i in range(n)]  # condition number 1.7e16
        run = atoll("solve", write_matrix(self.path("a.mtx"), hilbert), "--rhs", "random", "--rtol", "1e-15", "-o",
                    self.path("x.mtx"), "--json", self.path("r.json"), "--max-iterations", "500")
        report = self.report("r.json")
        b_norm = report["rhs_norm"]
        self.assertEqual(run.status, 0 if report["relative_residual"] <= 1e-15 else 1, run)
        self.assertGreater(b_norm, 0)

    def test_absolute_tolerance(self):
        run = atoll("solve", "poisson2d:10x10", "--rtol", "0", "--atol", "1e-3", "--json", self.path("r.json"))
        self.assert_status(run, 0)
        report = self.report("r.json")
        self.assertEqual(report["reason"], "converged_absolute")
        self.assertLessEqual(report["residual_norm"], 1e-3)


    def test_no_tolerance_means_as_far_as_possible(self):
        for more, reason in ([], "failed_stagnation"), (["--max-iterations", "5"], "stopped_iterations"):
            run = atoll("solve", "poisson2d:10x10", "--rhs", "random", "--rtol", "0", "--json", self.path("r.json"), *more)
            self.assert_status(run, 1)
            report = self.report("r.json")
            self.assertEqual(report["reason"], reason)
            self.assertIn("no tolerance was asked for", report["explanation"])
            self.assertIn("no tolerance was asked for", run.out)
            if not more:
                self.assertLess(report["relative_residual"], 1e-14)
                self.assertLess(report["iterations"], 500)  # not on and on below rounding

    def test_what_was_reached_is_told_in_the_norm_that_was_asked_for(self):
        start = write_array(self.path("x0.mtx"), [[1000.0 + i % 7 for i in range(100)]])
        base = ["solve", "poisson2d:10x10", "--rhs", "random", "--initial", start, "--json", self.path("r.json")]
        for against, rtol in ("initial", 1e-3), ("100", 1e-3), ("rhs", 1e-3):
            with self.subTest(against=against):
                run = atoll(*base, "--reference-norm", against, "--rtol", str(rtol), ranks=2)
                self.assert_status(run, 0)
                report = self.report("r.json")
                told = float(re.search(r"true relative residual (\S+) \(asked: 0.001", run.out)[1])
                self.assertLessEqual(told, rtol)
                self.assertAlmostEqual(told * report["reference_norm"] / report["residual_norm"], 1, delta=0.01)
                if against == "100":
                    self.assertEqual(report["reference_norm"], 100)
                    self.assertIn("the norm given, 100", run.out)
                if against == "initial":
                    self.assertGreater(report["reference_norm"], 1000)
                    self.assertIn("the initial residual", run.out)
        run = atoll(*base, "--rtol", "0", "--atol", "0.5")
        told = float(re.search(r"norm (\S+) \(asked: 0.5\)", run.out)[1])
        self.assertAlmostEqual(told / self.report("r.json")["residual_norm"], 1, delta=0.01)
        self.assertLessEqual(told, 0.5)


class Refusals(CommandTest):
    def test_not_square(self):
        matrix = write_matrix(self.path("a.mtx"), [[1.0, 0, 0, 2.0], [0, 1.0, 0, 0], [0, 0, 1.0, 0]])
        for ranks in (1, 2):
            self.assert_refused(atoll("solve", matrix, "-o", self.path("x.mtx"), ranks=ranks), 3, "3 x 4", "square")
        self.assert_files("a.mtx")

    def test_not_symmetric(self):
        a = random_spd(30, seed=2)
        a[17][4] += 0.5
        for ranks in (1, 3):
            run = atoll("solve", write_matrix(self.path("a.mtx"), a), ranks=ranks)
            self.assert_refused(run, 3, "not symmetric", "GMRES", "0.5")
            self.assertTrue("(18, 5)" in run.errors[0] or "(5, 18)" in run.errors[0], run)

    def test_a_lower_triangle_called_general(self):
        a = [[v if j <= i else 0.0 for j, v in enumerate(row)] for i, row in enumerate(poisson2d(4, 4))]
        self.assert_refused(atoll("solve", write_matrix(self.path("a.mtx"), a)), 3, "not symmetric")

    def test_vectors_of_wrong_length(self):
        short = write_array(self.path("b.mtx"), [[1.0] * 8])
        two = write_array(self.path("b2.mtx"), [[1.0] * 9, [2.0] * 9])
        for ranks in (1, 2):
            self.assert_refused(atoll("solve", "poisson2d:3x3", "--rhs", short, ranks=ranks), 3, "b.mtx", "8 rows", "9")
            self.assert_refused(atoll("solve", "poisson2d:3x3", "--initial", short, ranks=ranks), 3, "8 rows", "9")
            self.assert_refused(atoll("solve", "poisson2d:3x3", "--rhs", two, ranks=ranks), 3, "2 columns", "1")

    def test_values_that_are_not_finite(self):
        with open(self.path("b.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix array real general\n4 1\n1\n2\nnan\n4\n")
        self.assert_refused(atoll("solve", "poisson2d:2x2", "--rhs", self.path("b.mtx"), ranks=2), 3, "b.mtx")
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 inf\n2 2 1\n")
        self.assert_refused(atoll("solve", self.path("a.mtx"), ranks=2), 3, "a.mtx")

    def test_an_output_that_cannot_be_written_is_refused_before_the_work(self):
        run = atoll("solve", "poisson2d:3x3", "-o", self.path("no/such/folder/x.mtx"), ranks=2)
        self.assert_refused(run, 4, "no/such/folder")
        self.assert_refused(atoll("solve", "poisson2d:3x3", "-o", self.folder), 4, "folder")
        self.assert_files()


class Reports(CommandTest):
    def test_the_keys_of_the_report(self):
        for ranks in (None, 3):
            run = atoll("solve", "poisson2d:12x10", "--json", self.path("r.json"), "--rtol", "1e-9", ranks=ranks)
            self.assert_status(run, 0)
            report = self.report("r.json")
            for key in KEYS:
                self.assertIn(key, report)
            self.assertEqual(report["command"], "solve")
            self.assertEqual(report["matrix"], {"name": "poisson2d:12x10", "rows": 120, "cols": 120,
                                                "nnz": 5 * 120 - 2 * (12 + 10), "symmetric": True})
            self.assertEqual(report["ranks"], ranks or 1)
            self.assertEqual(report["threads"], 1)
            self.assertTrue(report["converged"])
            self.assertLessEqual(report["relative_residual"], 1e-9)
            self.assertEqual(len(report["history"]), report["iterations"] + 1)
            self.assertEqual(report["history"][0], 1.0)
            for key in ["read", "partition", "distribute", "setup", "solve", "write", "total"]:
                self.assertGreaterEqual(report["time_s"][key], 0)
            for key in ["peak_rss_total", "matrix", "vectors", "preconditioner"]:
                self.assertGreater(report["memory_bytes"][key], 0)
            self.assertGreater(report["bytes_per_dof"], 0)
            for key in ["method", "edge_cut", "imbalance", "neighbors_max", "halo_total"]:
                self.assertIn(key, report["partition"])

    def test_the_edge_cut_of_a_known_cut(self):
        with open(self.path("p.txt"), "w") as file:
            file.writelines(f"{0 if i < 20 else 1}\n" for i in range(40))  # between two lines of a 5 x 8 grid
        atoll("solve", "poisson2d:5x8", "--partitioner", "file:" + self.path("p.txt"), "--json", self.path("r.json"), ranks=2)
        partition = self.report("r.json")["partition"]
        self.assertEqual((partition["edge_cut"], partition["halo_total"], partition["neighbors_max"]), (5, 10, 1))

    def test_the_summary_is_short_and_says_what_happened(self):
        run = atoll("solve", "poisson2d:12x10", ranks=2)
        self.assertLessEqual(len(run.out.splitlines()), 14)
        for word in ["poisson2d:12x10", "120 rows", "2", "edge cut", "cg", "jacobi", "true relative residual", "solve",
                     "bytes a row"]:
            self.assertIn(word, run.out)
        self.assertEqual(run.errors, [])

    def test_the_monitor_prints_each_iteration_once(self):
        run = atoll("solve", "poisson2d:6x6", "--monitor", "--json", self.path("r.json"), ranks=3)
        lines = [line for line in run.out.splitlines() if line.startswith("iteration")]
        self.assertEqual(len(lines), self.report("r.json")["iterations"] + 1)


if __name__ == "__main__":
    unittest.main()
