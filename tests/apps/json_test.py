"""docs/json.md names every key that a command writes, and no other."""

import json
import os
import re
import unittest

from harness import CommandTest, atoll, write_array

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/json.md")


def documented():
    """What stands in the first column of the tables of keys."""
    keys, wanted = set(), False
    with open(DOCS) as file:
        for line in file:
            if line.startswith("| key |"):
                wanted = True
            elif not line.startswith("|"):
                wanted = False
            elif wanted:
                keys.update(re.findall("`([^`]+)`", line.split("|")[1]))
    return keys


def keys_of(value, name=""):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from keys_of(inner, f"{name}.{key}" if name else key)
    elif isinstance(value, list) and value and isinstance(value[0], dict):
        for inner in value:
            yield from keys_of(inner, name + "[]")
    else:
        yield name


class Keys(CommandTest):
    def test_all_keys_are_documented_and_all_documented_keys_are_there(self):
        vector = write_array(self.path("v.mtx"), [[1.0] * 9])
        found = set()
        for call in (["solve", "poisson2d:3x3"], ["multiply", "poisson2d:3x3", "--vector", vector],
                     ["partition", "poisson2d:3x3", "-n", "2", "-o", self.path("p.txt")],
                     ["convert", "poisson2d:3x3", self.path("c.mtx")], ["generate", "poisson2d:3x3", "-n", "2", "-o", self.path("g.h5")],
                     ["info", self.path("g.h5")], ["info", vector], ["options"], ["doctor"],
                     ["plan", "poisson2d:3x3", "-n", "2", "--bandwidth", "1e10"],
                     ["bench", "poisson2d:30x30", "--seconds", "0", "--megabytes", "3"]):
            for ranks in (None, 2):
                with self.subTest(call=call, ranks=ranks):
                    run = atoll(*call, "--json", "-", ranks=ranks)
                    self.assert_status(run, 0)
                    keys = set(keys_of(json.loads(run.out)))
                    self.assertEqual(keys - documented(), set())
                    found |= keys
        self.assertEqual(documented() - found, set())


if __name__ == "__main__":
    unittest.main()
