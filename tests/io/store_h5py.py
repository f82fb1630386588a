"""The store as Python sees it: store_h5py.py TOOL DOCS MPIRUN RANKS

Runs the code of docs/store.md as it stands there, and computes the checksums again from their definition.
"""

import os
import re
import subprocess
import sys
import tempfile

import h5py
import numpy as np


def mix(word):
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


def checksum(array):
    flat = np.ascontiguousarray(array).reshape(-1)
    bits = flat.view(np.uint32 if flat.itemsize == 4 else np.uint64).astype(np.uint64)
    index = np.arange(flat.size, dtype=np.uint64)
    return np.sum(mix(bits ^ mix(index + np.uint64(0x9E3779B97F4A7C15))), dtype=np.uint64)


def expect(condition, what):
    if not condition:
        sys.exit(f"not so: {what}")


def check_datasets(name, found):
    if isinstance(found, h5py.Dataset):
        expect(found.attrs["checksum"] == checksum(found[...]), f"the checksum of {name}")


def main():
    tool, docs, mpirun, ranks = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4]
    with open(docs) as file:
        codes = re.findall(r"```python\n(.*?)```", file.read(), re.S)
    expect(len(codes) >= 1, "docs/store.md shows Python code")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "A.h5")
        subprocess.run([mpirun, "--timeout", "60", "-n", ranks, tool, "sample", path], check=True)
        names = {}
        os.chdir(folder)
        for code in codes:
            exec(code, names)

        wanted = np.zeros((5, 5))
        for i in range(5):
            for j in (i, (i + 2) % 5):
                wanted[i, j] = 10 * i + j
        expect((names["A"].toarray() == wanted).all(), "A is the matrix in original numbering")
        with h5py.File(path) as file:
            expect(file["matrix"].attrs["format"] == "csr", "format is csr")
            expect(file["matrix"].attrs["name"] == "five", "name")
            expect(list(file["matrix/original_index"]) == [4, 3, 2, 1, 0], "original_index")
            expect(len(file["matrix/row_ranges"]) == int(ranks) + 1, "row_ranges")
            expect(file["matrix/data"].chunks is None, "contiguous data")
            file.visititems(check_datasets)
        with h5py.File(path + ".vector.h5") as file:
            expect((file["vector"][...] == [[i, -i] for i in range(5)]).all(), "vector")
            file.visititems(check_datasets)


np.seterr(over="ignore")
main()
