"""atoll bench: every row is there and sensible; how fast this machine is, no test can know."""

import json
import unittest

from harness import CommandTest, atoll, write_matrix

TINY = ["--seconds", "0", "--megabytes", "3"]
VECTORS = {"axpy", "xpby", "pointwise_multiply", "cg_update", "cg_pipelined_update", "dot",
           "dots of 3 pairs"}
MESSAGES = {"halo pack", "halo exchange", "all-reduce of 4"}
BEYOND_ANY_MACHINE = 1e5  # GB/s, from the first cache of a core


def least_seconds(stream, row):
    """What the streams need for the bytes of a row, as docs/bench.md says."""
    read = 1 / stream["read_gbs"]
    written, updated = (max(0.0, 3 / stream[key] - 2 * read) for key in ("triad_gbs", "update_gbs"))
    return 1e-9 * (read * row["bytes_read"] + written * row["bytes_written"] + updated * row["bytes_updated"])


class Bench(CommandTest):
    def bench(self, *call, ranks=None):
        run = atoll("bench", *call, *TINY, "--json", "-", ranks=ranks)
        self.assert_status(run, 0)
        return json.loads(run.out)

    def assert_sensible(self, report, ranks):
        active = [stream["ranks"] for stream in report["streams"]]
        self.assertEqual(active, [r for r in (1, 2, 4) if r < ranks] + [ranks])
        for stream in report["streams"]:
            for key in ("array_bytes", "read_gbs", "copy_gbs", "triad_gbs", "update_gbs"):
                self.assertGreater(stream[key], 0, stream)
        for row in report["kernels"]:
            self.assertGreater(row["seconds"], 0, row)
            self.assertGreater(row["gbs"], 0, row)
            self.assertLess(row["gbs"], BEYOND_ANY_MACHINE, row)
            if row["kernel"] in MESSAGES:
                self.assertIsNone(row["fraction"])
            else:
                expected = least_seconds(report["streams"][-1], row) / row["seconds"]
                self.assertAlmostEqual(row["fraction"] / expected, 1, delta=1e-9)

    def test_rows_and_keys_on_some_ranks(self):
        for ranks in (1, 2, 3):
            report = self.bench("poisson2d:60x50", ranks=ranks)
            self.assert_sensible(report, ranks)
            self.assertEqual([(m["name"], m["rows"], m["nnz"]) for m in report["matrices"]],
                             [("poisson2d:60x50", 3000, 5 * 3000 - 2 * 60 - 2 * 50)])
            rows = report["kernels"]
            products = [(r["storage"], r["columns"]) for r in rows if r["kernel"] == "product"]
            self.assertEqual(products, [("least_bytes", k) for k in (1, 4, 8, 16)] +
                             [(form, 1) for form in ("csr", "sell", "stencil", "block")])
            messages = MESSAGES if ranks > 1 else set()
            self.assertEqual({r["kernel"] for r in rows}, VECTORS | messages | {"product", "residual", "cg iteration"})
            self.assertEqual(report["matrices"][0]["halo_total"] > 0, ranks > 1)

    def test_bytes_are_those_of_the_model(self):
        n, ranks = 3000, 3
        report = self.bench("poisson2d:60x50", ranks=ranks)
        halo = report["matrices"][0]["halo_total"]
        rows = {(r["kernel"], r["storage"], r["columns"]): r for r in report["kernels"]}

        def moved(*key):
            return tuple(rows[key][f"bytes_{how}"] for how in ("read", "written", "updated"))

        self.assertEqual(moved("axpy", None, 1), (16 * n, 0, 8 * n))
        self.assertEqual(moved("pointwise_multiply", None, 1), (16 * n, 8 * n, 0))
        self.assertEqual(moved("cg_update", None, 1), (48 * n, 0, 32 * n))
        self.assertEqual(moved("cg_pipelined_update", None, 1), (80 * n, 0, 64 * n))
        self.assertEqual(moved("dot", None, 1), (16 * n, 0, 0))
        self.assertEqual(moved("dots of 3 pairs", None, 1), (24 * n, 0, 0))
        self.assertEqual(moved("halo pack", None, 1), (12 * halo, 8 * halo, 0))
        self.assertEqual(moved("all-reduce of 4", None, 1), (32 * ranks, 0, 0))
        one, four = moved("product", "least_bytes", 1), moved("product", "least_bytes", 4)
        self.assertEqual(one[1:], (8 * n, 0))
        self.assertEqual(four[0] - one[0], 3 * 8 * (n + halo))  # the matrix is read once
        self.assertEqual(four[1], 32 * n)
        self.assertEqual(moved("residual", "least_bytes", 1)[0] - one[0], 8 * n)
        # Plain rows hold 12 bytes an entry; the fewest bytes are no more than any form's.
        self.assertGreaterEqual(moved("product", "csr", 1)[0], 12 * report["matrices"][0]["nnz"] + 8 * (n + halo))
        for form in ("csr", "sell", "stencil", "block"):
            self.assertLessEqual(one[0], moved("product", form, 1)[0])

    def test_model_problems_by_default(self):
        report = self.bench(ranks=2)
        self.assert_sensible(report, 2)
        kinds = [m["name"].split(":")[0] for m in report["matrices"]]
        self.assertEqual(kinds, ["poisson2d", "poisson3d", "poisson3d27", "elasticity3d", "diffusion3d"])
        for kind, matrix in zip(kinds, report["matrices"]):
            rows = [r for r in report["kernels"] if r["matrix"] == matrix["name"]]
            self.assertEqual(len([r for r in rows if r["kernel"] == "product"]), 8)
            self.assertEqual(VECTORS <= {r["kernel"] for r in rows}, kind == kinds[0])

    def test_other_executors_precisions_and_shapes(self):
        for options in (["--device", "guarded"], ["--precision", "float"], ["--threads", "2"]):
            self.assert_sensible(self.bench("poisson3d:9x9x9", *options, ranks=2), 2)
        wide = write_matrix(self.path("a.mtx"), [[float(i + j) for j in range(9)] for i in range(6)])
        self.assertNotIn("cg iteration", {r["kernel"] for r in self.bench(wide, ranks=2)["kernels"]})

    def test_the_table_tells_the_same(self):
        run = atoll("bench", "poisson2d:40x40", *TINY, ranks=2)
        self.assert_status(run, 0)
        for word in ("streams", "read", "triad", "poisson2d:40x40: 1,600 rows", "least_bytes", "product, 16 vectors",
                     "halo exchange", "all-reduce of 4", "stored as"):
            self.assertIn(word, run.out)
        self.assertEqual(run.errors, [])

    def test_refusals(self):
        for call, status, words in [(["--seconds", "-1"], 2, ["--seconds"]), (["--megabytes", "0"], 2, ["--megabytes"]),
                                    (["--second", "1"], 2, ["did you mean --seconds?"]),
                                    (["poisson2d:3x3", "poisson2d:4x4"], 2, ["too many", "[MATRIX]"]),
                                    (["--rtol", "1e-3"], 2, ["--rtol"]), (["--device", "cuda"], 4, ["cuda"]),
                                    ([self.path("missing.mtx")], 3, ["missing.mtx"])]:
            with self.subTest(call=call):
                self.assert_refused(atoll("bench", *call, ranks=2), status, *words, lines=3)
        self.assert_files()


if __name__ == "__main__":
    unittest.main()
