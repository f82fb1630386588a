#!/usr/bin/python3
"""Peak memory per unknown, summed over the ranks, of CG with Jacobi on 2-D Poisson matrices.

    bench/memory.py [--sides 2000,4000] [--ranks 1,2,4] [--iterations 10]

Bytes per unknown are `bytes_per_dof` of the report: the peak of resident memory of every rank less what the process
held before it made the matrix, summed over ranks, by rows. "a rank" is the whole peak, by ranks.
"""
import argparse

import measure


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sides", default="2000,4000", help="cells along each side: 4 M and 16 M unknowns")
    parser.add_argument("--ranks", default="1,2,4")
    parser.add_argument("--iterations", type=int, default=10)
    parser.add_argument("--partitioner", default="auto")
    options = parser.parse_args()

    rows = []
    for side in map(int, options.sides.split(",")):
        for ranks in map(int, options.ranks.split(",")):
            run = measure.atoll(ranks, "solve", f"poisson2d:{side}x{side}", "--preconditioner", "jacobi",
                                "--max-iterations", options.iterations, "--partitioner", options.partitioner)
            memory = run["memory_bytes"]
            unknowns = run["matrix"]["rows"]
            parts = " + ".join(f"{memory[part] / unknowns:.0f}" for part in ("matrix", "vectors", "preconditioner"))
            rows.append([f"{unknowns:,}", ranks, f"{run['bytes_per_dof']:.0f}", parts,
                         f"{memory['peak_rss_total'] / ranks / 1e6:.0f}", run["partition"]["method"]])
    print(measure.machine() + "\n")
    measure.table(["unknowns", "ranks", "peak bytes per unknown", "of it matrix + vectors + preconditioner",
                   "peak MB a rank", "partitioner"], rows)


if __name__ == "__main__":
    main()
