"""The certificate of atoll solve, against Gaussian elimination and analytic eigenvalues."""

import math
import unittest

from harness import (CommandTest, atoll, multiply, poisson2d, read_array, solve, write_array)

SIDE = 9


def energy(a, v):
    return math.sqrt(sum(x * y for x, y in zip(v, multiply(a, v))))


class Certificates(CommandTest):
    def setUp(self):
        super().setUp()
        self.a = poisson2d(SIDE, SIDE)
        self.b = [math.sin(1 + 0.7 * i * i) + 0.3 for i in range(SIDE * SIDE)]
        self.truth = solve(self.a, self.b)
        # The smallest eigenvalue of D^-1 A; D = 4.
        self.smallest = 2 * math.sin(math.pi / 2 / (SIDE + 1)) ** 2

    def solve(self, *options, ranks=None, status=0):
        rhs = write_array(self.path("b.mtx"), [self.b])
        run = atoll("solve", f"poisson2d:{SIDE}x{SIDE}", "--rhs", rhs, "--json", self.path("r.json"), "-o",
                    self.path("x.mtx"), *options, ranks=ranks)
        self.assert_status(run, status)
        x = read_array(self.path("x.mtx"))[0]
        return run, self.report("r.json"), energy(self.a, [p - q for p, q in zip(self.truth, x)])

    def test_stop_energy_gives_the_error_asked_for(self):
        norm = energy(self.a, self.truth)
        for ranks in (None, 1, 2, 4):
            for rtol in ("1e-2", "1e-5"):
                with self.subTest(ranks=ranks, rtol=rtol):
                    run, report, error = self.solve("--stop", "energy", "--rtol", rtol, ranks=ranks)
                    self.assertEqual(report["reason"], "converged_energy")
                    self.assertEqual(report["stop"], "energy")
                    self.assertLessEqual(error, float(rtol) * norm)
                    self.assertFalse(report["certificate"]["upper_is_bound"])
                    self.assertIn("certified", run.out)
                    self.assertIn(f"(asked: {float(rtol):.3g})", run.out)

    def test_bounds_hold_for_answers_of_any_quality(self):
        norm = energy(self.a, self.truth)
        for steps in (0, 1, 5, 20):
            with self.subTest(steps=steps):
                _, report, error = self.solve("--smallest-eigenvalue", repr(self.smallest), "--max-iterations", str(steps),
                                              "--rtol", "1e-14", status=1)
                certificate = report["certificate"]
                self.assertTrue(certificate["upper_is_bound"])
                self.assertLessEqual(certificate["energy_error_lower"], error * (1 + 1e-9))
                self.assertGreaterEqual(certificate["energy_error_upper"], error * (1 - 1e-9))
                self.assertLessEqual(certificate["energy_norm"], norm * (1 + 1e-9))

    def test_backward_error(self):
        _, report, _ = self.solve("--rtol", "1e-3")
        x = read_array(self.path("x.mtx"))[0]
        length = lambda v: math.sqrt(sum(p * p for p in v))
        r = [p - q for p, q in zip(self.b, multiply(self.a, x))]
        expected = length(r) / (8 * length(x) + length(self.b))
        self.assertAlmostEqual(report["certificate"]["backward_error"] / expected, 1, 6)

    def test_what_is_not_known_is_null(self):
        _, report, _ = self.solve("--atol", "1e9")
        self.assertEqual(report["iterations"], 0)
        self.assertIsNone(report["certificate"]["energy_error_upper"])
        self.assertGreater(report["certificate"]["backward_error"], 0)

    def test_nothing_but_rounding_left(self):
        run, report, _ = self.solve("--stop", "energy", "--rtol", "1e-18", status=1)
        self.assertEqual(report["reason"], "failed_stagnation")
        self.assertIn("asked: 1e-18", run.out)


if __name__ == "__main__":
    unittest.main()
