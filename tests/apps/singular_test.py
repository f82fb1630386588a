"""atoll solve on singular matrices."""
import math
import unittest

from harness import (CommandTest, atoll, poisson2d, read_array, write_array, write_matrix)


def neumann_chain(n):
    a = [[0.0] * n for _ in range(n)]
    for i in range(n - 1):
        a[i][i] += 1.0
        a[i + 1][i + 1] += 1.0
        a[i][i + 1] = a[i + 1][i] = -1.0
    return a


class Singular(CommandTest):
    def test_pure_neumann_is_found_and_has_zero_mean(self):
        n = 20
        b = [math.cos(math.pi * (i + 0.5) / n) for i in range(n)]  # an eigenvector of the chain
        eigenvalue = 4 * math.sin(math.pi / (2 * n)) ** 2
        matrix = write_matrix(self.path("a.mtx"), neumann_chain(n))
        shifted = write_array(self.path("b.mtx"), [[v + 0.25 for v in b]])  # 0.25 cannot be reached
        for ranks in (1, 3):
            for null_space in ("auto", "constant"):
                run = atoll("solve", matrix, "--rhs", shifted, "--null-space", null_space, "--rtol", "1e-10", "-o",
                            self.path("x.mtx"), "--json", self.path("r.json"), ranks=ranks)
                self.assert_status(run, 0)
                self.assert_close(read_array(self.path("x.mtx"))[0], [v / eigenvalue for v in b], 1e-7)
                report = self.report("r.json")
                self.assertEqual(report["null_space_dimension"], 1)
                self.assertAlmostEqual(report["incompatible"], 0.25 * math.sqrt(n), delta=1e-10)
                self.assertIn("null space", run.out)

    def test_the_default_right_hand_side_of_a_singular_matrix_is_told_to_be_zero(self):
        # Weights whose sums round, so that A*ones is noise.
        n = 20
        a = [[0.0] * n for _ in range(n)]
        for i in range(n - 1):
            weight = 0.1 + 0.37 * i
            a[i][i] += weight
            a[i + 1][i + 1] += weight
            a[i][i + 1] = a[i + 1][i] = -weight
        for matrix in (neumann_chain(n), a):
            for null_space in ("auto", "none"):
                run = atoll("solve", write_matrix(self.path("a.mtx"), matrix), "--null-space", null_space, "-o",
                            self.path("x.mtx"), "--json", self.path("r.json"), ranks=2)
                self.assert_status(run, 0)
                report = self.report("r.json")
                self.assertEqual((report["iterations"], report["rhs_norm"]), (0, 0))
                self.assertEqual(read_array(self.path("x.mtx"))[0], [0.0] * n)
                for text in ["A*ones is zero", "--rhs random"]:
                    self.assertEqual(run.out.count(text), 1)
                    self.assertTrue(any(text in note for note in report["notes"]))
        run = atoll("solve", "poisson2d:5x5")
        self.assertNotIn("is zero", run.out)

    def test_constants_are_only_removed_where_they_are_the_null_space(self):
        for ranks in (1, 3):
            run = atoll("solve", "poisson2d:6x6", "--null-space", "constant", "-o", self.path("x.mtx"), ranks=ranks)
            # 4 x 4 inner rows sum to zero; a corner has 4 - 1 - 1 of 4 + 1 + 1.
            self.assert_refused(run, 3, "20 rows", "0.333", "1, 2, 3, 4, 5, ...", "--null-space auto or none")
        self.assert_files()

    def test_what_no_x_can_reach_is_named(self):
        n = 20
        rhs = write_array(self.path("b.mtx"), [[(-1.0) ** i + 0.25 for i in range(n)]])  # 0.25 cannot be reached
        matrix = write_matrix(self.path("a.mtx"), neumann_chain(n))
        for method in ("cg", "cg-textbook", "cg-pipelined"):
            for more in ([], ["--max-iterations", "2"]):
                run = atoll("solve", matrix, "--rhs", rhs, "--null-space", "none", "--method", method, "-o",
                            self.path("x.mtx"), "--json", self.path("r.json"), *more, ranks=2)
                self.assert_status(run, 1)
                report = self.report("r.json")
                self.assertEqual(report["reason"], "failed_incompatible")
                for text in ["singular", "1 component", f"norm {0.25 * math.sqrt(n):.3g}", "--null-space auto"]:
                    self.assertIn(text, report["explanation"])
                    self.assertIn(text, run.out)
        # Without that part, the limit is the reason.
        compatible = write_array(self.path("b.mtx"), [[(-1.0) ** i for i in range(n)]])
        run = atoll("solve", matrix, "--rhs", compatible, "--null-space", "none", "--max-iterations", "2", "--json",
                    self.path("r.json"), "-o", self.path("x.mtx"))
        self.assertEqual(self.report("r.json")["reason"], "stopped_iterations")

    def test_rows_that_nearly_sum_to_zero_are_pointed_out(self):
        n = 20
        a = neumann_chain(n)
        for i in range(n):
            a[i][i] *= 1 + 1e-7  # as a file of seven digits may have it
        matrix = write_matrix(self.path("a.mtx"), a)
        run = atoll("solve", matrix, "--rhs", "random", "--rtol", "0", "--json", self.path("r.json"), ranks=2)
        self.assert_status(run, 1)
        for text in ["5e-08", "nearly singular", "--null-space constant"]:
            self.assertIn(text, self.report("r.json")["explanation"])
        run = atoll("solve", matrix, "--rhs", "random", "--null-space", "constant", "--rtol", "1e-5", ranks=2)
        self.assert_status(run, 0)

    def test_rows_without_entries_are_named(self):
        a = poisson2d(8, 8)
        for i in (20, 41):
            for j in range(64):
                a[i][j] = a[j][i] = 0.0
        matrix = write_matrix(self.path("a.mtx"), a)
        for ranks in (1, 2, 4):
            run = atoll("solve", matrix, "--rhs", "ones", "-o", self.path("x.mtx"), "--json", self.path("r.json"), ranks=ranks)
            self.assert_refused(run, 3, "2 rows", "21, 42", "singular")
        self.assert_files("a.mtx")

    def test_many_empty_rows_are_counted(self):
        a = [[1.0 if i == j and i >= 30 else 0.0 for j in range(40)] for i in range(40)]
        run = atoll("solve", write_matrix(self.path("a.mtx"), a), ranks=3)
        self.assert_refused(run, 3, "30 rows", "1, 2, 3, 4, 5, ...")


if __name__ == "__main__":
    unittest.main()
