#!/usr/bin/python3
"""Makes examples/data/lagoon.mtx, the matrix that ships with Atoll.

    scripts/make_example_matrix.py [-o FILE] [--spacing METRES]

What it is: slow flow in the lagoon of an atoll. Linear finite elements on an unstructured triangulation of the
water between a wavy outer reef (about 5 km across) and an island inside it, for

    -div(h grad u) + s u = f   in the lagoon,
    h du/dn + a u = g          on the two passes, where the reef is open to the sea,
    h du/dn = 0                on all other shores,

u the surface height, h the depth, s a small storage term (one implicit time step). The triangles are small near the
passes, the shores and the coral pinnacles, and large in the deep middle; the depth varies from 0.5 m on the pinnacles
to 40 m. So the matrix is sparse, symmetric positive definite, without any grid structure, its rows in the scattered
order in which the points were placed: what a solver meets in practice, small enough to ship.

Everything follows from the seed; numpy and scipy are needed (Debian: python3-numpy python3-scipy).
"""
import argparse

import numpy as np
from scipy.sparse import coo_matrix
from scipy.spatial import Delaunay, cKDTree

SEED = 20260101
PASSES = (0.35, 3.6)                                  # where the reef is open, radians
PASS_WIDTH = 0.07
PINNACLES = np.array([[900, 1200], [-1500, 400], [300, -1700], [1600, -500], [-700, -900], [-500, 1700]], float)


def reef(angle):
    """Distance of the outer reef from the middle, m."""
    return 2500 + 220 * np.sin(3 * angle + 0.4) + 130 * np.cos(5 * angle) + 40 * np.sin(11 * angle)


def island(angle):
    """Distance of the island's shore from its own middle, m."""
    return 480 + 90 * np.sin(2 * angle + 1) + 45 * np.cos(5 * angle)


ISLAND = np.array([250.0, 150.0])


def polar(points):
    return np.hypot(points[:, 0], points[:, 1]), np.arctan2(points[:, 1], points[:, 0])


def shore_distance(points):
    """About the distance to the nearest shore, m; negative outside the water."""
    r, angle = polar(points)
    r_island, angle_island = polar(points - ISLAND)
    return np.minimum(reef(angle) - r, r_island - island(angle_island))


def turn(angle, to):
    """Smallest turn between two directions, 0..pi."""
    return np.abs((angle - to + np.pi) % (2 * np.pi) - np.pi)


def spacing(points, base):
    """Wanted distance between neighbouring points, m."""
    r, angle = polar(points)
    h = base * (0.45 + np.clip(shore_distance(points), 0, 900) / 500)
    for at in PASSES:
        mouth = reef(np.array([at])) * np.array([np.cos(at), np.sin(at)])
        h = np.minimum(h, base * (0.3 + np.hypot(*(points - mouth).T) / 700))
    for at in PINNACLES:
        h = np.minimum(h, base * (0.3 + np.hypot(*(points - at).T) / 500))
    return h


def depth(points):
    d = np.clip(shore_distance(points), 0, None)
    h = 1.5 + 38.5 * (1 - np.exp(-d / 400))
    for at in PINNACLES:
        h -= (h - 0.5) * np.exp(-(np.hypot(*(points - at).T) / 130) ** 2)
    return h


def shore_points(base):
    """Points along both shores, as far apart as spacing() wants."""
    shores = []
    for radius, middle in ((reef, np.zeros(2)), (island, ISLAND)):
        fine = np.linspace(-np.pi, np.pi, 40001)
        curve = middle + radius(fine)[:, None] * np.column_stack([np.cos(fine), np.sin(fine)])
        step = np.hypot(*np.diff(curve, axis=0).T)
        count = np.concatenate([[0], np.cumsum(step / spacing(curve[:-1], base))])
        n = round(count[-1])
        at = np.interp(np.arange(n) * count[-1] / n, count, fine)
        shores.append(middle + radius(at)[:, None] * np.column_stack([np.cos(at), np.sin(at)]))
    return np.concatenate(shores)


def place_points(base, rng):
    """Shore points, then random points thinned to spacing(), then three rounds of smoothing (Lloyd)."""
    shore = shore_points(base)
    candidates = rng.uniform(-2900, 2900, (400000, 2))
    candidates = candidates[shore_distance(candidates) > 0.3 * spacing(candidates, base)]
    wanted = 0.8 * spacing(candidates, base)
    near = cKDTree(candidates)
    taken = np.zeros(len(candidates), bool)
    shut = cKDTree(shore).query(candidates)[0] < 0.7 * wanted
    for i in range(len(candidates)):
        if not shut[i]:
            taken[i] = True
            shut[near.query_ball_point(candidates[i], wanted[i])] = True
    points = np.concatenate([shore, candidates[taken]])
    for _ in range(3):
        triangles = triangulate(points)
        area, centre = areas(points, triangles), points[triangles].mean(axis=1)
        total = np.zeros(len(points))
        moved = np.zeros_like(points)
        for corner in range(3):
            np.add.at(total, triangles[:, corner], area)
            np.add.at(moved, triangles[:, corner], area[:, None] * centre)
        points[len(shore):] = (moved / total[:, None])[len(shore):]
    return points, len(shore)


def areas(points, triangles):
    a, b, c = points[triangles].transpose(1, 0, 2)
    return 0.5 * np.abs((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0])


def triangulate(points):
    triangles = Delaunay(points).simplices
    wet = shore_distance(points[triangles].mean(axis=1)) > 0
    return triangles[wet & (areas(points, triangles) > 1e-3)]


def assemble(points, triangles):
    corners = points[triangles]                                    # m x 3 x 2
    area = areas(points, triangles)
    edge = np.roll(corners, -1, axis=1) - np.roll(corners, 1, axis=1)  # opposite edge of each corner
    h = depth(corners.mean(axis=1))
    stiffness = (h / (4 * area))[:, None, None] * np.einsum("mik,mjk->mij", edge, edge)
    lumped = 1e-6 * (area / 3)[:, None, None] * np.eye(3)           # storage, 1/s times s
    values = stiffness + lumped
    row = np.repeat(triangles, 3, axis=1).reshape(-1)
    col = np.tile(triangles, 3).reshape(-1)
    n = len(points)
    a = coo_matrix((values.reshape(-1), (row, col)), (n, n)).tocsr()

    # Boundary edges belong to one triangle. Those in a pass are open to the sea.
    edges = np.sort(np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]]), axis=1)
    unique, times = np.unique(edges, axis=0, return_counts=True)
    boundary = unique[times == 1]
    middle = points[boundary].mean(axis=1)
    r, angle = polar(middle)
    at_reef = r > reef(angle) - 100
    in_pass = at_reef & np.any([turn(angle, at) < PASS_WIDTH for at in PASSES], axis=0)
    mouth = boundary[in_pass]
    length = np.hypot(*(points[mouth[:, 0]] - points[mouth[:, 1]]).T)
    sea = np.zeros(n)
    for end in range(2):
        np.add.at(sea, mouth[:, end], 0.05 * length / 2)
    return a + coo_matrix((sea, (range(n), range(n))), (n, n)).tocsr(), len(mouth)


def write(path, a, note):
    """Lower triangle, 12 significant digits: the rounded matrix is the matrix."""
    low = coo_matrix(a)
    keep = low.row >= low.col
    row, col, value = low.row[keep], low.col[keep], low.data[keep]
    order = np.lexsort((row, col))
    with open(path, "w", encoding="ascii", newline="\n") as f:
        f.write("%%MatrixMarket matrix coordinate real symmetric\n")
        f.writelines(f"% {line}\n" for line in note)
        f.write(f"{a.shape[0]} {a.shape[1]} {len(value)}\n")
        for k in order:
            f.write(f"{row[k] + 1} {col[k] + 1} {value[k]:.12g}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("-o", "--output", default="examples/data/lagoon.mtx")
    parser.add_argument("--spacing", type=float, default=43.0, help="distance of points in middling water, m")
    options = parser.parse_args()

    points, n_shore = place_points(options.spacing, np.random.default_rng(SEED))
    triangles = triangulate(points)
    used = np.unique(triangles)
    number = np.full(len(points), -1)
    # Mesh generators number points as they come; here the shores first, then the water in random order.
    number[used] = np.random.default_rng(SEED + 1).permutation(len(used))
    points, triangles = points[used][np.argsort(number[used])], number[triangles]
    a, n_open = assemble(points, triangles)
    note = [
        "Slow flow in the lagoon of an atoll: -div(h grad u) + s u, linear finite elements on an",
        f"unstructured triangulation, {len(triangles)} triangles, {n_shore} points on shores, {n_open} open edges.",
        "Symmetric positive definite; made by scripts/make_example_matrix.py of Atoll (MIT licence).",
    ]
    write(options.output, a, note)
    print(f"{options.output}: {a.shape[0]} rows, {a.nnz} entries")


if __name__ == "__main__":
    main()
