"""partition, convert, generate and info: files in, files out."""

import json
import math
import os
import unittest

from harness import (CommandTest, atoll, call, entries_of, poisson2d, random_spd, read_array, read_matrix, write_array,
                     write_matrix)


class Partitions(CommandTest):
    def parts(self, name):
        with open(self.path(name)) as file:
            return [int(line) for line in file]

    def cut(self, a, part):
        pairs = {(min(i, j), max(i, j)) for i, row in enumerate(a) for j, v in enumerate(row) if v and i != j}
        return sum(1 for i, j in pairs if part[i] != part[j])

    def halo(self, a, part):
        """Pairs of a part and a foreign row that one of its rows needs."""
        n = len(a)
        return len({(part[i], j) for i in range(n) for j in range(n)
                    if a[i][j] and part[i] != part[j]})

    def test_every_partitioner_gives_a_valid_cut_and_tells_its_quality(self):
        a = poisson2d(12, 10)
        for ranks, name in [(None, "auto"), (1, "metis"), (2, "metis-recursive"), (3, "scotch"), (2, "coordinates"),
                            (3, "block"), (3, "metis")]:
            with self.subTest(name=name, ranks=ranks):
                run = atoll("partition", "poisson2d:12x10", "-n", "4", "-o", self.path("p.txt"), "--partitioner", name,
                            "--json", self.path("r.json"), ranks=ranks)
                self.assert_status(run, 0)
                part = self.parts("p.txt")
                self.assertEqual(len(part), 120)
                self.assertEqual(set(part), {0, 1, 2, 3})
                quality = self.report("r.json")["partition"]
                self.assertEqual(quality["edge_cut"], self.cut(a, part))
                self.assertEqual(quality["halo_total"], self.halo(a, part))
                if name != "auto":
                    self.assertEqual(quality["method"], name)
                self.assertLessEqual(max(part.count(p) for p in range(4)), 34)

    def test_one_part_and_more_parts_than_rows(self):
        run = atoll("partition", "poisson2d:3x2", "-n", "1", "-o", self.path("p.txt"), "--json", self.path("r.json"))
        self.assert_status(run, 0)
        self.assertEqual(self.parts("p.txt"), [0] * 6)
        self.assertEqual(self.report("r.json")["partition"]["edge_cut"], 0)
        run = atoll("partition", "poisson2d:3x2", "-n", "9", "-o", self.path("p.txt"), ranks=2)
        self.assert_status(run, 0)
        self.assertEqual(len(set(self.parts("p.txt"))), 6)

    def test_parts_that_could_only_be_empty_are_refused_above_a_bound(self):
        for parts, words in [("2000000000", ["--parts", "1048576"]), ("1048577", ["--parts", "1048576"]),
                             ("70000", ["70000 parts", "6 rows", "empty", "65536"])]:
            for command in ("partition", "convert"):
                where = ["-o", self.path("p.h5")] if command == "partition" else [self.path("p.h5")]
                run = atoll(command, "poisson2d:3x2", *where, "-n", parts)
                self.assert_refused(run, 2, *words, lines=2)
        self.assert_files()

    def test_a_row_heavier_than_a_part_has_one_to_itself(self):
        # Row and column 7 are full: row 7 weighs 40, the 39 others 2 each. Average of 4 parts 29.5, others 26 each.
        n = 40
        a = [[1.0 if i == j or 7 in (i, j) else 0.0 for j in range(n)] for i in range(n)]
        run = atoll("partition", write_matrix(self.path("a.mtx"), a), "-n", "4", "-o", self.path("p.txt"), "--json",
                    self.path("r.json"), "--imbalance", "0")
        self.assert_status(run, 0)
        part = self.parts("p.txt")
        self.assertEqual(part.count(part[7]), 1)
        self.assertEqual(sorted(part.count(p) for p in range(4)), [1, 13, 13, 13])
        quality = self.report("r.json")["partition"]
        self.assertAlmostEqual(quality["imbalance"], 40 / 29.5 - 1)
        self.assertAlmostEqual(quality["imbalance_least"], 40 / 29.5 - 1)
        self.assertIn("no less than 35.6 %", run.out)

    def test_a_store_of_parts_made_on_any_number_of_ranks(self):
        a = random_spd(24, seed=5)
        matrix = write_matrix(self.path("a.mtx"), a)
        for ranks in (1, 2, 5):
            run = atoll("partition", matrix, "-n", "3", "-o", self.path("a.h5"), ranks=ranks)
            self.assert_status(run, 0)
            for readers in (1, 3):
                run = atoll("convert", self.path("a.h5"), self.path("b.mtx"), ranks=readers)
                self.assert_status(run, 0)
                self.assertEqual(read_matrix(self.path("b.mtx")), (entries_of(a), 24, 24))
            run = atoll("solve", self.path("a.h5"), "--json", self.path("r.json"), ranks=3)
            self.assert_status(run, 0)
            self.assertEqual(self.report("r.json")["partition"]["method"], "stored")

    def test_a_partition_is_repeated_from_its_file(self):
        atoll("partition", "poisson2d:9x9", "-n", "3", "-o", self.path("p.txt"))
        run = atoll("partition", "poisson2d:9x9", "-n", "3", "-o", self.path("q.txt"), "--partitioner",
                    "file:" + self.path("p.txt"), ranks=2)
        self.assert_status(run, 0)
        self.assertEqual(self.parts("p.txt"), self.parts("q.txt"))
        # The file speaks of original rows, though the store has them in another order.
        atoll("partition", "poisson2d:9x9", "-n", "4", "-o", self.path("a.h5"))
        run = atoll("partition", self.path("a.h5"), "-n", "3", "-o", self.path("q.txt"), "--partitioner",
                    "file:" + self.path("p.txt"), ranks=3)
        self.assert_status(run, 0)
        self.assertEqual(self.parts("p.txt"), self.parts("q.txt"))

    def test_bad_partition_files(self):
        for text, word in [("0\n1\n", "9"), ("0\n" * 8 + "7\n", "7"), ("0\n" * 8 + "x\n", "x"), ("0\n" * 10, "9")]:
            with open(self.path("p.txt"), "w") as file:
                file.write(text)
            run = atoll("partition", "poisson2d:3x3", "-n", "3", "-o", self.path("q.txt"), "--partitioner",
                        "file:" + self.path("p.txt"), ranks=2)
            self.assert_refused(run, 3, "p.txt", word)
        self.assert_files("p.txt")

    def test_a_rectangular_matrix(self):
        matrix = write_matrix(self.path("a.mtx"), [[1.0, 2.0, 3.0]])
        self.assert_refused(atoll("partition", matrix, "-n", "2", "-o", self.path("p.txt"), ranks=2), 3, "1 x 3", "square")


class Conversions(CommandTest):
    def test_round_trips_keep_every_digit(self):
        a = random_spd(20, seed=1)
        a[3][4] = 1e-300
        a[4][3] = 0.1 + 0.2
        a[19][0] = -1.7976931348623157e308
        matrix = write_matrix(self.path("a.mtx"), a)
        for writers, readers in [(1, 3), (2, 1), (3, 2), (8, 3)]:
            self.assert_status(atoll("convert", matrix, self.path("a.h5"), ranks=writers), 0)
            self.assert_status(atoll("convert", self.path("a.h5"), self.path("b.mtx"), ranks=readers), 0)
            self.assertEqual(read_matrix(self.path("b.mtx")), (entries_of(a), 20, 20))

    def test_a_store_keeps_its_parts(self):
        a = random_spd(20, seed=8)
        self.assert_status(atoll("convert", write_matrix(self.path("a.mtx"), a), self.path("a.h5"), "-n", "4", ranks=2), 0)
        for ranks in (1, 3, 4):
            run = atoll("convert", self.path("a.h5"), self.path("b.h5"), "--json", self.path("r.json"), ranks=ranks)
            self.assert_status(run, 0)
            self.assertEqual(self.report("r.json")["output"]["parts"], 4)
            run = atoll("solve", self.path("b.h5"), "--json", self.path("s.json"), ranks=4)
            self.assertEqual(self.report("s.json")["partition"]["method"], "stored")
            atoll("convert", self.path("b.h5"), self.path("b.mtx"), ranks=2)
            self.assertEqual(read_matrix(self.path("b.mtx")), (entries_of(a), 20, 20))
        atoll("convert", self.path("a.h5"), self.path("c.h5"), "-n", "2", "--json", self.path("r.json"))
        self.assertEqual(self.report("r.json")["output"]["parts"], 2)

    def test_symmetric_and_rectangular_input(self):
        a = poisson2d(3, 2)
        atoll("convert", write_matrix(self.path("a.mtx"), a, symmetric=True), self.path("b.mtx"), ranks=2)
        self.assertEqual(read_matrix(self.path("b.mtx")), (entries_of(a), 6, 6))
        wide = [[1.0, 0.0, 2.0, 0.0, 5.0], [0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 3.0, 0.0, 4.0, 0.0]]
        atoll("convert", write_matrix(self.path("w.mtx"), wide), self.path("w.h5"), ranks=2)
        run = atoll("convert", self.path("w.h5"), self.path("v.mtx"), ranks=3)
        self.assert_status(run, 0)
        self.assertEqual(read_matrix(self.path("v.mtx")), (entries_of(wide), 3, 5))
        self.assert_refused(atoll("convert", self.path("w.mtx"), self.path("p.h5"), "-n", "2"), 3, "3 x 5", "square")

    def test_vectors_of_a_store_stay_with_it_or_are_said_to_be_lost(self):
        def vectors(name):
            return sorted(call([os.environ["STORE_PROGRAM"], "show", self.path(name)]).out.splitlines())

        call([os.environ["STORE_PROGRAM"], "write", self.path("a.h5")])
        kept = ["flow 1 2 3 4 5 6 7 8", "height 0.5 1.5 2.5 3.5"]
        self.assertEqual(vectors("a.h5"), kept)
        for ranks in (1, 2, 3):
            run = atoll("convert", self.path("a.h5"), self.path("b.h5"), ranks=ranks)
            self.assert_status(run, 0)
            self.assertNotIn("height", run.out)
            self.assertEqual(vectors("b.h5"), kept)
            for output in (["a.mtx"], ["c.h5", "-n", "3"]):
                run = atoll("convert", self.path("a.h5"), self.path(output[0]), *output[1:], ranks=ranks)
                self.assert_status(run, 0)
                self.assertIn("vectors of the store are not written: flow, height", run.out)
        self.assertEqual(vectors("c.h5"), [])

    def head(self, name):
        with open(self.path(name)) as file:
            return file.readline().split()

    def test_a_symmetric_matrix_becomes_a_symmetric_file(self):
        a = random_spd(20, seed=3)
        matrix = write_matrix(self.path("a.mtx"), a)
        b = [list(row) for row in a]
        i, j = next((i, j) for i in range(20) for j in range(i) if b[i][j])
        b[i][j] = math.nextafter(b[i][j], 2)  # symmetric but for the last bit
        other = write_matrix(self.path("b.mtx"), b)
        for ranks in (1, 3):
            atoll("convert", matrix, self.path("a.h5"), "-n", "3", ranks=ranks)
            for source in (matrix, self.path("a.h5")):
                run = atoll("convert", source, self.path("c.mtx"), "--json", self.path("r.json"), ranks=ranks)
                self.assert_status(run, 0)
                self.assertEqual(self.head("c.mtx")[4], "symmetric")
                self.assertTrue(self.report("r.json")["output"]["symmetric"])
                self.assertEqual(read_matrix(self.path("c.mtx")), (entries_of(a), 20, 20))
            self.assert_status(atoll("convert", other, self.path("c.mtx"), ranks=ranks), 0)
            self.assertEqual(self.head("c.mtx")[4], "general")
            self.assertEqual(read_matrix(self.path("c.mtx")), (entries_of(b), 20, 20))

    def test_a_stored_zero_without_its_mirror_is_not_symmetric(self):
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n2 2 1\n1 2 0\n")
        self.assert_status(atoll("convert", self.path("a.mtx"), self.path("b.mtx")), 0)
        self.assertEqual(self.head("b.mtx")[4], "general")

    def test_the_content_tells_the_format_not_the_name(self):
        atoll("generate", "poisson2d:3x3", "-o", self.path("a.h5"))
        atoll("generate", "poisson2d:3x3", "-o", self.path("b.mtx"))
        os.rename(self.path("a.h5"), self.path("store.mtx"))
        os.rename(self.path("b.mtx"), self.path("text.h5"))
        self.assert_status(atoll("solve", self.path("store.mtx"), ranks=2), 0)
        self.assert_status(atoll("solve", self.path("text.h5"), ranks=2), 0)

    def test_generated_files_are_the_model_problem(self):
        for ranks, spec, more in [(1, "poisson2d:5x4", []), (3, "poisson2d:5x4", []), (3, "poisson2d:5x4", ["-n", "2"])]:
            for name in ["g.mtx", "g.h5"] if not more else ["g.h5"]:
                self.assert_status(atoll("generate", spec, "-o", self.path(name), *more, ranks=ranks), 0)
                self.assert_status(atoll("convert", self.path(name), self.path("check.mtx")), 0)
                self.assertEqual(read_matrix(self.path("check.mtx")), (entries_of(poisson2d(5, 4)), 20, 20))

    def test_an_altered_store_is_refused(self):
        atoll("generate", "poisson2d:8x8", "-o", self.path("a.h5"), ranks=2)
        with open(self.path("a.h5"), "rb") as file:
            whole = file.read()
        with open(self.path("short.h5"), "wb") as file:
            file.write(whole[: len(whole) // 2])
        for ranks in (1, 3):
            run = atoll("solve", self.path("short.h5"), "-o", self.path("x.mtx"), ranks=ranks)
            self.assert_refused(run, 3, "short.h5")
        self.assert_files("a.h5", "short.h5")


class Information(CommandTest):
    def info(self, matrix, ranks=None):
        run = atoll("info", matrix, "--json", self.path("r.json"), ranks=ranks)
        self.assert_status(run, 0)
        return run, self.report("r.json")

    def test_hand_numbers(self):
        a = [[4.0, -1.0, 0.0, 0.0], [-1.0, 3.0, 0.0, -2.0], [0.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, -5.0]]
        for ranks in (None, 3):
            run, report = self.info(write_matrix(self.path("a.mtx"), a), ranks)
            self.assertEqual(report["matrix"], {"name": self.path("a.mtx"), "rows": 4, "cols": 4, "nnz": 7, "symmetric": False})
            self.assertEqual(report["symmetry"], {"pattern": True, "values": False, "max_difference": 4.0})
            self.assertEqual(report["row_entries"], {"min": 0, "mean": 1.75, "max": 3})
            self.assertEqual(report["empty_rows"], 1)
            self.assertEqual(report["diagonal"], {"missing": 1, "zero": 0, "positive": 2, "negative": 1})
            self.assertEqual(report["zero_row_sums"], 1)
            self.assertEqual(report["dominance"], {"rows": 4, "strict_rows": 2})
            self.assertEqual(report["bandwidth"], {"lower": 2, "upper": 2})
            self.assertEqual(report["norms"]["inf"], 7.0)
            self.assertEqual(report["norms"]["max_abs"], 5.0)
            self.assertAlmostEqual(report["norms"]["frobenius"], 60.0**0.5, places=12)
            self.assertEqual(report["gershgorin"], {"low": -7.0, "high": 6.0})
            self.assertEqual(report["components"], 2)

    def test_definiteness(self):
        def diagonal(*values):
            return [[v if i == j else 0.0 for j in range(len(values))] for i, v in enumerate(values)]

        indefinite = diagonal(1.0, -1.0)
        chain = [[1.0, -1.0, 0.0], [-1.0, 2.0, -1.0], [0.0, -1.0, 1.0]]
        for matrix, word in [("poisson2d:4x4", "positive definite"), ("neumann2d:4x4", "positive semidefinite and singular"),
                             (write_matrix(self.path("i.mtx"), indefinite), "indefinite"),
                             (write_matrix(self.path("c.mtx"), chain), "positive semidefinite and singular"),
                             (write_matrix(self.path("z.mtx"), [[0.0, 1.0], [1.0, 0.0]]), "not definite"),
                             (write_matrix(self.path("n.mtx"), diagonal(-2.0, -3.0)), "negative definite")]:
            run, report = self.info(matrix, 2)
            self.assertTrue(report["definiteness"].startswith(word), (matrix, report["definiteness"]))
            self.assertIn(word, run.out)

    def test_stores_are_shown_in_original_numbering(self):
        _, plain = self.info("poisson2d:9x7")
        atoll("partition", "poisson2d:9x7", "-n", "4", "-o", self.path("a.h5"))
        for ranks in (1, 3):
            _, stored = self.info(self.path("a.h5"), ranks)
            self.assertEqual(stored["parts"], 4)
            for key in ("bandwidth", "norms", "row_entries", "picture", "diagonal", "components"):
                self.assertEqual(stored[key], plain[key])

    def test_the_picture_of_a_diagonal(self):
        n = 100
        a = [[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)]
        run, _ = self.info(write_matrix(self.path("a.mtx"), a), 2)
        picture = [line[3:-1] for line in run.out.splitlines() if line.startswith("  |")]
        self.assertEqual((len(picture), {len(line) for line in picture}), (20, {40}))
        for row, line in enumerate(picture):
            for column, shade in enumerate(line):
                self.assertEqual(shade != " ", column // 2 == row)

    def test_vectors(self):
        vector = write_array(self.path("v.mtx"), [[3.0, -4.0, 0.0], [0.0, 0.0, 12.0]])
        _, report = self.info(vector, 2)
        self.assertEqual((report["vector"]["rows"], report["vector"]["cols"]), (3, 2))
        self.assertEqual(report["norms"], {"two": 13.0, "inf": 12.0})
        self.assertEqual((report["min"], report["max"]), (-4.0, 12.0))
        self.assertAlmostEqual(report["mean"], 11.0 / 6.0)
        atoll("multiply", "poisson2d:2x1", "--vector", write_array(self.path("x.mtx"), [[1.0, 2.0]]), "-o", self.path("y.h5"))
        _, report = self.info(self.path("y.h5"), 2)  # 4 - 2, 8 - 1
        self.assertEqual((report["min"], report["max"], report["vector"]["rows"]), (2.0, 7.0, 2))

    def test_mostly_empty_rows_are_counted_without_being_stored(self):
        # Entries (2, 5), (5, 2) and (700, 700) of 100,000 rows: the others are components by themselves.
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n100000 100000 3\n2 5 1.5\n5 2 1.5\n700 700 2\n")
        for ranks in (None, 3):
            _, report = self.info(self.path("a.mtx"), ranks)
            self.assertEqual((report["components"], report["empty_rows"]), (99999, 99997))
            self.assertEqual(report["symmetry"], {"pattern": True, "values": True, "max_difference": 0})
        with open(self.path("a.mtx"), "w") as file:  # from the first rank's rows to the last's, one way
            file.write("%%MatrixMarket matrix coordinate real general\n100000 100000 2\n2 99999 1\n99999 3 1\n")
        for ranks in (None, 3):
            _, report = self.info(self.path("a.mtx"), ranks)
            self.assertEqual(report["symmetry"], {"pattern": False, "values": False, "max_difference": 1})
            self.assertIsNone(report["components"])
        with open(self.path("a.mtx"), "w") as file:
            file.write("%%MatrixMarket matrix coordinate real general\n100000 100000 0\n")
        for ranks in (None, 3):
            _, report = self.info(self.path("a.mtx"), ranks)
            self.assertEqual((report["components"], report["null_space_dimension"]), (100000, 0))

    def test_rectangular(self):
        run, report = self.info(write_matrix(self.path("a.mtx"), [[1.0, 0.0, 2.0]]), 2)
        self.assertEqual((report["matrix"]["rows"], report["matrix"]["cols"], report["matrix"]["nnz"]), (1, 3, 2))
        self.assertNotIn("diagonal", report)


if __name__ == "__main__":
    unittest.main()
