"""atoll plan, compared with the runs that it plans and with numbers counted by hand; and what solve says of its
iterations."""

import random
import unittest

from harness import CommandTest, atoll, random_spd, write_array, write_matrix

FIVE_PERCENT = 0.05
RANK = "1e10"  # bandwidth where no measurement is wanted


def write_scattered_grid(path, nx, ny):
    """The 5-point stencil with its rows in random order, as file: rows are brought together again."""
    place = list(range(nx * ny))
    random.Random(1).shuffle(place)
    entries = []
    for y in range(ny):
        for x in range(nx):
            i = place[y * nx + x]
            entries.append((i, i, 4.0))
            for inside, step in ((x < nx - 1, 1), (y < ny - 1, nx)):
                if inside:
                    j = place[y * nx + x + step]
                    entries.append((max(i, j), min(i, j), -1.0))
    with open(path, "w") as file:
        file.write(f"%%MatrixMarket matrix coordinate real symmetric\n{nx * ny} {nx * ny} {len(entries)}\n")
        file.writelines(f"{i + 1} {j + 1} {v!r}\n" for i, j, v in entries)
    return path


def chain(n):
    return [[2.0 if i == j else -1.0 if abs(i - j) == 1 else 0.0 for j in range(n)] for i in range(n)]


class PlanTest(CommandTest):
    def run_json(self, *call, ranks=None, status=0):
        run = atoll(*call, "--json", self.path("r.json"), ranks=ranks)
        self.assert_status(run, status)
        return self.report("r.json")

    def plan(self, *call, ranks=None):
        if "--bandwidth" not in call:
            call += ("--bandwidth", RANK)
        return self.run_json("plan", *call, ranks=ranks)

    def assert_near(self, planned, measured):
        self.assertLessEqual(abs(planned - measured), FIVE_PERCENT * measured, (planned, measured))


class Comparisons(PlanTest):
    def assert_sums(self, plan, parts):
        for group in ("rows", "entries"):
            self.assert_spread(plan[group], parts)
        for group in ("bytes", "exchange"):
            for figure in plan[group].values():
                self.assert_spread(figure, parts)
        total = {name: figure["total"] for name, figure in plan["bytes"].items()}
        self.assertEqual(total["matrix"], total["storage"] + total["maps"] + total["halo"])
        self.assertEqual(total["vectors"], total["rhs"] + total["answer"] + total["method"])
        self.assertEqual(total["all"], total["matrix"] + total["vectors"] + total["kept"] + total["preconditioner"])
        exchange = plan["exchange"]
        self.assertEqual(exchange["bytes_sent"]["total"], exchange["bytes_received"]["total"])
        self.assertEqual(exchange["messages_sent"]["total"], exchange["messages_received"]["total"])

    def assert_spread(self, figure, parts):
        self.assertLessEqual(figure["min"], figure["mean"])
        self.assertLessEqual(figure["mean"], figure["max"])
        self.assertAlmostEqual(figure["mean"] * parts, figure["total"], delta=1e-9 * figure["total"])

    def compare(self, matrix, *options, parts, ranks, scalar=8):
        """The plan on `ranks` ranks with the run on `parts`."""
        run = self.run_json("solve", matrix, "--rtol", "0.5", *options, ranks=parts)
        report = self.plan(matrix, "-n", parts, *options, ranks=ranks)
        plan, measured = report["plan"], run["memory_bytes"]
        planned = {name: figure["total"] for name, figure in plan["bytes"].items()}
        self.assertEqual(plan["parts"], parts)
        self.assertEqual(plan["method"], "cg")
        self.assertEqual((plan["rows"]["total"], plan["entries"]["total"]), (run["matrix"]["rows"], run["matrix"]["nnz"]))
        self.assertEqual(report["partition"]["method"], run["partition"]["method"])
        self.assert_near(planned["storage"], run["storage"]["bytes"])
        self.assert_near(planned["matrix"], measured["matrix"])
        self.assert_near(planned["preconditioner"], measured["preconditioner"])
        kept = planned["vectors"] + planned["kept"]
        nearest = min(planned["vectors"], kept, key=lambda v: abs(v - measured["vectors"]))
        self.assert_near(nearest, measured["vectors"])
        self.assert_near(plan["exchange"]["bytes_sent"]["total"], scalar * run["partition"]["halo_total"])
        self.assertLessEqual(plan["exchange"]["messages_sent"]["max"], run["partition"]["neighbors_max"])
        self.assert_near(plan["iteration"]["bytes"]["total"], run["iteration"]["bytes"])
        self.assert_sums(plan, parts)

    def test_a_grid(self):
        for parts, ranks in ((1, 1), (2, 1), (3, 3), (4, 2), (8, 3)):
            with self.subTest(parts=parts):
                self.compare("poisson2d:40x30", parts=parts, ranks=ranks)

    def test_a_matrix_whose_rows_are_scattered(self):
        matrix = write_scattered_grid(self.path("a.mtx"), 60, 55)
        for parts, ranks in ((1, 2), (2, None), (3, 1), (4, 3), (8, 1)):
            with self.subTest(parts=parts):
                self.compare(matrix, parts=parts, ranks=ranks)
        ordered = self.plan(matrix, "-n", "1")["plan"]["bytes"]["storage"]["total"]
        given = self.plan(matrix, "-n", "1", "--local-order", "given")["plan"]["bytes"]["storage"]["total"]
        self.assertLess(ordered, given)

    def test_an_unstructured_matrix(self):
        matrix = write_matrix(self.path("a.mtx"), random_spd(90, seed=5, density=0.05), symmetric=True)
        for parts, ranks in ((1, 3), (2, 2), (3, 1), (4, 1), (8, 3)):
            with self.subTest(parts=parts):
                self.compare(matrix, parts=parts, ranks=ranks)

    def test_other_forms_precisions_and_executors(self):
        for options, scalar in ((["--storage", "csr"], 8), (["--precision", "float"], 4), (["--device", "guarded"], 8),
                                (["--partitioner", "block"], 8)):
            with self.subTest(options=options):
                self.compare("poisson3d:7x6x5", *options, parts=3, ranks=2, scalar=scalar)

    def test_a_store_keeps_its_parts(self):
        self.assert_status(atoll("partition", "poisson2d:20x17", "-n", "4", "--partitioner", "metis", "-o",
                                 self.path("a.h5")), 0)
        self.compare(self.path("a.h5"), parts=4, ranks=3)
        self.assertEqual(self.report("r.json")["partition"]["method"], "stored")
        self.compare(self.path("a.h5"), parts=3, ranks=1)

    def test_more_ranks_than_rows(self):
        self.compare("poisson2d:3x1", parts=8, ranks=2)


class Plans(PlanTest):
    def test_a_chain_by_hand(self):
        matrix = write_matrix(self.path("a.mtx"), chain(9))
        for ranks in (None, 2, 4):
            plan = self.plan(matrix, "-n", "3", "--partitioner", "block", ranks=ranks)["plan"]
            spread = lambda group, name: [plan[group][name][k] for k in ("max", "min", "total")]
            self.assertEqual([plan["rows"][k] for k in ("max", "mean", "min", "total")], [3, 3, 3, 9])
            self.assertEqual([plan["entries"][k] for k in ("max", "min", "total")], [9, 8, 25])
            self.assertEqual(spread("exchange", "messages_sent"), [2, 1, 4])
            self.assertEqual(spread("exchange", "messages_received"), [2, 1, 4])
            self.assertEqual(spread("exchange", "bytes_sent"), [16, 8, 32])
            self.assertEqual(spread("bytes", "maps"), [16, 8, 32])
            self.assertEqual(spread("bytes", "halo"), [48, 24, 96])  # 2 numbers and a buffer a value, and one for it
            self.assertEqual(spread("bytes", "rhs"), [24, 24, 72])
            self.assertEqual(spread("bytes", "answer"), [40, 32, 104])
            self.assertEqual(spread("bytes", "kept"), [40, 32, 104])
            self.assertEqual(spread("bytes", "preconditioner"), [24, 24, 72])

    def test_what_is_sent_and_received_may_differ(self):
        # The first rank needs all of x, nobody needs anything of it.
        a = [[1.0] * 6, [0.0, 1.0] + [0.0] * 4] + [[1.0 if j == i else 0.0 for j in range(6)] for i in range(2, 6)]
        with open(self.path("parts.txt"), "w") as file:
            file.write("0\n0\n1\n1\n2\n2\n")
        cut = ["--partitioner", f"file:{self.path('parts.txt')}"]
        report = self.plan(write_matrix(self.path("a.mtx"), a), "-n", "3", *cut, ranks=2)
        plan, exchange = report["plan"], report["plan"]["exchange"]
        self.assertEqual([exchange["messages_sent"][k] for k in ("max", "min", "total")], [1, 0, 2])
        self.assertEqual([exchange["messages_received"][k] for k in ("max", "min", "total")], [2, 0, 2])
        self.assertEqual(exchange["bytes_sent"]["max"], 16)
        self.assertEqual(exchange["bytes_received"]["max"], 32)
        self.assertFalse(report["matrix"]["symmetric"])
        self.assertEqual((plan["method"], plan["iteration"]["reductions"]), ("product", 0))
        self.assertEqual((plan["bytes"]["preconditioner"]["total"], plan["bytes"]["method"]["total"]), (0, 0))
        vector = write_array(self.path("x.mtx"), [[1.0] * 6])
        run = self.run_json("multiply", self.path("a.mtx"), "--vector", vector, *cut, ranks=3)
        self.assertEqual(plan["bytes"]["storage"]["total"], run["storage"]["bytes"])

    def test_many_more_ranks_than_rows(self):
        plan = self.plan("poisson2d:3x1", "-n", "5000", ranks=3)["plan"]
        self.assertEqual([plan["rows"][k] for k in ("max", "min", "total")], [1, 0, 3])
        self.assertEqual(plan["exchange"]["messages_sent"]["total"], 4)
        self.assert_refused(atoll("plan", "poisson2d:3x1", "-n", "70000"), 2, "70000", lines=2)

    def test_the_table_tells_the_same(self):
        run = atoll("plan", "poisson2d:30x20", "-n", "4", "--bandwidth", RANK)
        self.assert_status(run, 0)
        for word in ("poisson2d:30x20: 600 rows", "a rank of 4", "matrix, packed", "halo plan", "kept iterate",
                     "messages sent", "moved by an iteration", "bound by", "a message takes 2 us"):
            self.assertIn(word, run.out)
        self.assertEqual(run.errors, [])
        self.assert_files()

    def test_refusals(self):
        wide = write_matrix(self.path("wide.mtx"), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        grid = ["poisson2d:4x4", "-n", "2"]
        for call, status, words in [
                ([wide, "-n", "2"], 3, ["2 x 3", "square"]), ([self.path("missing.mtx"), "-n", "2"], 3, ["missing.mtx"]),
                (["poisson2d:4x4"], 2, ["--parts", "is needed"]), (["-n", "2"], 2, ["MATRIX is missing"]),
                (["poisson2d:4x4", "-n", "0"], 2, ["--parts", "'0'"]), (grid + ["--rtol", "1e-3"], 2, ["--rtol"]),
                (grid + ["--network", "speed=1"], 2, ["--network", "'speed=1'"]),
                (grid + ["--network", "latency"], 2, ["--network", "'latency'", ">= 0"]),
                (grid + ["--network", "latency=-1"], 2, ["'latency=-1'"]),
                (grid + ["--network", "latency=nan"], 2, ["'latency=nan'"]),
                (grid + ["--network", "latency=1,bandwidth=0"], 2, ["'bandwidth=0'", "> 0"]),
                (grid + ["--network", "latency=1,latency=2"], 2, ["'latency=2'", "twice"]),
                (grid + ["--network", "latency=1,"], 2, ["--network"]),
                (grid + ["--bandwidth", "fast"], 2, ["--bandwidth", "'fast'"]),
                (grid + ["--bandwidth", "-1"], 2, ["--bandwidth"]), (grid + ["--device", "cuda"], 4, ["cuda"])]:
            with self.subTest(call=call):
                self.assert_refused(atoll("plan", *call, ranks=2), status, *words, lines=3)
        self.assert_files("wide.mtx")


class Models(PlanTest):
    def test_the_time_of_a_chain_by_hand(self):
        matrix = write_matrix(self.path("a.mtx"), chain(9))
        latency, network, memory = 3e-6, 2e9, 5e8
        for ranks in (None, 2):
            plan = self.plan(matrix, "-n", "3", "--partitioner", "block", "--bandwidth", memory, "--network",
                             f"bandwidth={network},latency={latency}", ranks=ranks)["plan"]
            iteration = plan["iteration"]
            local = iteration["bytes"]["max"] / memory  # the part in the middle: 2 messages of 8 bytes
            halo = 2 * latency + 16 / network
            self.assertAlmostEqual(iteration["local_seconds_slowest"], local, delta=1e-12)
            self.assertAlmostEqual(iteration["local_seconds_mean"], iteration["bytes"]["mean"] / memory, delta=1e-12)
            self.assertAlmostEqual(iteration["halo_seconds"], halo, delta=1e-12)
            self.assertEqual(iteration["reductions"], 1)
            self.assertAlmostEqual(iteration["reduction_seconds"], 2 * latency, delta=1e-12)
            self.assertAlmostEqual(iteration["seconds"], local + halo + 2 * latency, delta=1e-12)
            self.assertEqual(plan["model"]["read_gbs"], memory / 1e9)
            self.assertEqual(plan["model"]["network_latency"], latency)
            self.assertEqual(plan["model"]["network_bandwidth"], network)

    def test_one_rank_sends_nothing(self):
        plan = self.plan("poisson2d:9x9", "-n", "1", ranks=2)["plan"]
        self.assertEqual(plan["iteration"]["halo_seconds"], 0)
        self.assertEqual(plan["iteration"]["reduction_seconds"], 0)
        self.assertEqual(plan["iteration"]["bound_by"], "bandwidth")

    def test_each_bound(self):
        for options, parts, bound in [(["--bandwidth", "1"], 4, "bandwidth"), (["--bandwidth", "1"], 2000, "imbalance"),
                                      (["--bandwidth", "1e12", "--network", "latency=1"], 4, "latency"),
                                      (["--bandwidth", "1e12", "--network", "latency=0,bandwidth=1"], 4, "partition")]:
            with self.subTest(bound=bound):
                plan = self.plan("poisson2d:20x20", "-n", parts, *options)["plan"]
                self.assertEqual(plan["iteration"]["bound_by"], bound)

    def test_the_measured_bandwidth_is_that_of_a_rank(self):
        for ranks in (None, 2):
            plan = self.plan("poisson2d:20x20", "-n", "2", "--bandwidth", "auto", ranks=ranks)["plan"]
            self.assertTrue(plan["model"]["bandwidth_measured"])
            least = plan["iteration"]["bytes"]["mean"] / 1e9
            rates = [plan["model"][key] for key in ("read_gbs", "triad_gbs", "update_gbs")]
            self.assertGreater(min(rates), 0)
            self.assertGreater(plan["iteration"]["local_seconds_mean"], least / (2 * max(rates)))


class Iterations(PlanTest):
    KEYS = {"seconds", "bytes", "gbytes_per_s", "bandwidth_gbytes_per_s", "fraction_of_bandwidth",
            "local_seconds_mean", "local_seconds_slowest", "halo_seconds", "reduction_seconds", "bound_by",
            "explanation"}

    def test_bytes_and_rates(self):
        n, rate = 1200, 4e9
        for ranks in (1, 2, 3):
            report = self.run_json("solve", "poisson2d:40x30", "--bandwidth", rate, ranks=ranks)
            iteration = report["iteration"]
            self.assertEqual(set(iteration), self.KEYS)
            self.assertLessEqual(iteration["seconds"] * report["iterations"], 1.001 * report["time_s"]["solve"])
            self.assertAlmostEqual(iteration["gbytes_per_s"] * iteration["seconds"] * 1e9 / iteration["bytes"], 1)
            self.assertAlmostEqual(iteration["bandwidth_gbytes_per_s"] * 1e9 / (ranks * rate), 1)
            self.assertAlmostEqual(iteration["fraction_of_bandwidth"] * ranks * rate * iteration["seconds"] /
                                   iteration["bytes"], 1)
            # u, p and x are read and written; ghosts of u and p read, those of p written.
            vectors = 48 * n + 24 * report["partition"]["halo_total"]
            self.assertGreater(iteration["bytes"], vectors)
            self.assertLessEqual(iteration["bytes"], vectors + report["storage"]["bytes"])
            parts = sum(iteration[key] for key in ("local_seconds_slowest", "halo_seconds", "reduction_seconds"))
            self.assertLessEqual(iteration["seconds"], 1.001 * parts)
            self.assertLessEqual(iteration["local_seconds_mean"], 1.001 * iteration["local_seconds_slowest"])
            if ranks == 1:
                self.assertEqual(iteration["halo_seconds"], 0)
            self.assertIn(iteration["bound_by"], ("bandwidth", "compute", "imbalance", "latency", "partition"))
            self.assertIn("bound by", iteration["explanation"])

    def test_the_textbook_form_moves_more(self):
        # On one rank, as all rows have the same diagonal: 3 vectors read and 3 updated, or one pass a step: x, w of the
        # product; r, d, u of the preconditioner; 4 of dots; 3 updates of 3.
        n = 900
        fused, textbook = (self.run_json("solve", "poisson2d:30x30", "--method", method)["iteration"]["bytes"]
                           for method in ("cg", "cg-textbook"))
        self.assertEqual(textbook - fused, 8 * n * (2 + 3 + 4 + 9 - 6))

    def test_a_short_solve_measures_only_when_asked(self):
        iteration = self.run_json("solve", "poisson2d:20x20", ranks=2)["iteration"]
        self.assertGreater(iteration["seconds"], 0)
        self.assertIsNone(iteration["bandwidth_gbytes_per_s"])
        self.assertIsNone(iteration["fraction_of_bandwidth"])
        self.assertNotIn(iteration["bound_by"], ("bandwidth", "compute"))
        iteration = self.run_json("solve", "poisson2d:20x20", "--bandwidth", "measure", ranks=2)["iteration"]
        self.assertGreater(iteration["fraction_of_bandwidth"], 0)
        self.assertIsNotNone(iteration["bound_by"])

    def test_local_work_far_from_the_bandwidth_is_compute(self):
        iteration = self.run_json("solve", "poisson2d:40x40", "--bandwidth", "1e18")["iteration"]
        self.assertEqual(iteration["bound_by"], "compute")
        iteration = self.run_json("solve", "poisson2d:40x40", "--bandwidth", "1e3")["iteration"]
        self.assertEqual(iteration["bound_by"], "bandwidth")
        self.assertGreater(iteration["fraction_of_bandwidth"], 1)

    def test_without_iterations_nothing_is_said(self):
        matrix = write_matrix(self.path("a.mtx"), chain(4))
        zero = write_array(self.path("b.mtx"), [[0.0] * 4])
        report = self.run_json("solve", matrix, "--rhs", zero, "--bandwidth", "measure", ranks=2)
        self.assertEqual(report["iterations"], 0)
        self.assertEqual(report["iteration"], dict.fromkeys(self.KEYS))


if __name__ == "__main__":
    unittest.main()
