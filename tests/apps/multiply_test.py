"""atoll multiply against products computed here."""

import random
import unittest

from harness import CommandTest, atoll, multiply, poisson2d, random_spd, read_array, transpose, write_array, write_matrix


class Products(CommandTest):
    def setUp(self):
        super().setUp()
        rng = random.Random(7)
        self.square = random_spd(25, seed=9)
        for _ in range(20):
            self.square[rng.randrange(25)][rng.randrange(25)] += 1.0  # nonsymmetric, in pattern too
        self.wide = [[float((3 * i + 5 * j) % 7) if (i + j) % 3 else 0.0 for j in range(9)] for i in range(6)]

    def product(self, matrix, columns, *more, ranks=None, name="y.mtx"):
        vector = write_array(self.path("x.mtx"), columns)
        run = atoll("multiply", matrix, "--vector", vector, "-o", self.path(name), *more, ranks=ranks)
        self.assert_status(run, 0)
        return read_array(self.path(name)) if name.endswith(".mtx") else None

    def test_hand_numbers(self):
        matrix = write_matrix(self.path("a.mtx"), [[1.0, 2.0, 0.0], [0.0, 3.0, 0.0], [4.0, 0.0, 5.0]])
        for ranks in (None, 1, 2, 3, 8):
            self.assertEqual(self.product(matrix, [[1.0, 10.0, 100.0]], ranks=ranks), [[21.0, 30.0, 504.0]])
            self.assertEqual(self.product(matrix, [[1.0, 10.0, 100.0]], "--transpose", ranks=ranks), [[401.0, 32.0, 500.0]])

    def test_several_vectors_and_transposes(self):
        matrix = write_matrix(self.path("a.mtx"), self.square)
        x = [[float(i + 1) for i in range(25)], [float((-1) ** i) for i in range(25)], [0.5] * 25]
        for ranks in (1, 3):
            for flag, a in (([], self.square), (["--transpose"], transpose(self.square))):
                y = self.product(matrix, x, *flag, ranks=ranks)
                self.assertEqual(len(y), 3)
                for column, vector in zip(y, x):
                    self.assert_close(column, multiply(a, vector), 1e-13)

    def test_rectangular_matrices(self):
        matrix = write_matrix(self.path("a.mtx"), self.wide)
        for ranks in (1, 2, 3, 8):
            y = self.product(matrix, [[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]], ranks=ranks)[0]
            self.assert_close(y, multiply(self.wide, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0]), 1e-14)
            y = self.product(matrix, [[1.0, -2.0, 3.0, -4.0, 5.0, -6.0]], "--transpose", ranks=ranks)[0]
            self.assert_close(y, multiply(transpose(self.wide), [1.0, -2.0, 3.0, -4.0, 5.0, -6.0]), 1e-14)

    def test_powers(self):
        y = [1.0 + (i % 3) for i in range(12)]
        x = [y]
        for _ in range(40):
            y = multiply(poisson2d(4, 3), y)
        for ranks in (1, 2, 4):
            self.assert_close(self.product("poisson2d:4x3", x, "--power", "40", ranks=ranks)[0], y, 1e-11)

    def test_powers_of_a_transpose(self):
        matrix = write_matrix(self.path("a.mtx"), self.square)
        x = [float(i % 5) for i in range(25)]
        y = x
        for _ in range(3):
            y = multiply(transpose(self.square), y)
        self.assert_close(self.product(matrix, [x], "--power", "3", "--transpose", ranks=3)[0], y, 1e-12)

    def test_a_vector_in_a_store_and_no_output(self):
        self.product("poisson2d:4x3", [[1.0] * 12, [2.0] * 12], ranks=2, name="y.h5")
        run = atoll("multiply", "poisson2d:4x3", "--vector", self.path("y.h5"), "-o", self.path("z.mtx"), ranks=3)
        self.assert_status(run, 0)
        z = multiply(poisson2d(4, 3), multiply(poisson2d(4, 3), [1.0] * 12))
        self.assert_close(read_array(self.path("z.mtx"))[0], z, 1e-13)
        self.assert_close(read_array(self.path("z.mtx"))[1], [2 * v for v in z], 1e-13)
        run = atoll("multiply", "poisson2d:2x1", "--vector", write_array(self.path("v.mtx"), [[1.0, 1.0]]))
        self.assertIn("norm of the result 4.24264", run.out)

    def test_empty_rows_give_zeros(self):
        a = [[0.0] * 7 for _ in range(7)]
        for i in (0, 1, 2, 4):
            a[i][i] = 2.0
        y = self.product(write_matrix(self.path("a.mtx"), a), [[1.0] * 7], ranks=3)[0]
        self.assertEqual(y, [2.0, 2.0, 2.0, 0.0, 2.0, 0.0, 0.0])

    def test_an_overflow_ends_the_same_with_and_without_output(self):
        vector = write_array(self.path("x.mtx"), [[1e200] * 12])
        for ranks in (1, 3):
            for output in ([], ["-o", self.path("y.mtx")], ["-o", self.path("y.h5")]):
                run = atoll("multiply", "poisson2d:4x3", "--vector", vector, "--power", "400", *output, ranks=ranks)
                self.assert_refused(run, 3, "too large for double precision", "--power")
        run = atoll("multiply", "poisson2d:4x3", "--vector", vector, "--precision", "float")
        self.assert_refused(run, 3, "x.mtx:3", "single precision")
        self.assert_files("x.mtx")

    def test_wrong_sizes(self):
        matrix = write_matrix(self.path("a.mtx"), self.wide)
        vector = write_array(self.path("x.mtx"), [[1.0] * 6])
        for ranks in (1, 3):
            run = atoll("multiply", matrix, "--vector", vector, "-o", self.path("y.mtx"), ranks=ranks)
            self.assert_refused(run, 3, "x.mtx", "6 rows", "9")
        run = atoll("multiply", matrix, "--vector", vector, "-o", self.path("y.mtx"), "--power", "2", ranks=2)
        self.assert_refused(run, 3, "6 x 9", "square")
        self.assert_files("a.mtx", "x.mtx")


if __name__ == "__main__":
    unittest.main()
