#!/usr/bin/python3
"""Rules of the source tree that no compiler checks: repository.py RULE, run at the root of the tree.

Prints each offence as file:line: text, and fails if there is one.
"""
import contextlib
import re
import sys
import tempfile
from pathlib import Path

FOLDERS = ["core", "comm", "partition", "io", "solvers", "apps", "bindings", "tests"]
SOURCES = {".cpp", ".hpp", ".h", ".c", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')

# What a folder may include of the others. apps, bindings and tests see everything below them.
LAW = {
    "core": {"core"},
    "comm": {"comm", "core"},
    "partition": {"partition", "comm", "core"},
    "io": {"io", "comm", "core"},
    "solvers": {"solvers", "comm", "core"},
    "solvers/precond/amg": {"solvers", "partition", "comm", "core"},
}

# Headers that cost seconds a file, or that must not reach those who embed Atoll: where each may be included.
HEAVY = [
    (r"mpi\.h$", r"comm/mpi_[^/]*$|partition/[^/]*scotch[^/]*\.cpp$|io/hdf5[^/]*$|apps/|bindings/|solvers/plugins/"),
    (r"metis\.h$", r"partition/[^/]*metis[^/]*\.cpp$|apps/atoll/versions\.cpp$"),
    (r"(pt)?scotch\.h$", r"partition/[^/]*scotch[^/]*\.cpp$|apps/atoll/versions\.cpp$"),
    (r"hdf5\.h$|H5public\.h$", r"io/[^/]*\.cpp$|io/hdf5[^/]*\.hpp$|apps/.*\.cpp$"),
    (r"Eigen/", r"\.cpp$"),
    (r"CLI/", r"apps/.*\.cpp$"),
    (r"nlohmann/(?!json_fwd)", r"\.cpp$"),
    (r"fmt/", r"\.cpp$"),
    (r"cuda|nccl", r"core/cuda/|comm/[^/]*nccl[^/]*$"),
    (r"(iostream|regex|filesystem|ranges)$", r"\.cpp$|apps/"),
]
UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX|HACK|placeholder|not implemented|for now)\b", re.IGNORECASE)
LINE_LIMIT = 400


def files(suffixes=SOURCES):
    for folder in FOLDERS:
        for path in sorted(Path(folder).rglob("*")):
            if path.suffix in suffixes and path.is_file():
                yield path


def includes(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match.group(1), match.group(2)


def home(path):
    """The longest folder of LAW that holds the file, or None."""
    inside = [folder for folder in LAW if path.as_posix().startswith(folder + "/")]
    return max(inside, key=len, default=None)


def one_way():
    """Folders include one another as the design says, spelt <atoll/folder/file>."""
    for path in files():
        folder = home(path)
        if folder is None:
            continue
        for number, quote, name in includes(path):
            if quote == '"':
                yield f'{path}:{number}: #include "{name}": spell it <atoll/{folder}/...>'
            elif name.startswith("atoll/") and name.split("/")[1] not in LAW[folder]:
                yield f"{path}:{number}: {folder} may include {', '.join(sorted(LAW[folder]))} only, not {name}"


def heavy_headers():
    """Heavy headers stay in the few files made for them."""
    for path in files():
        if path.as_posix().startswith("tests/"):
            continue
        for number, _, name in includes(path):
            for header, allowed in HEAVY:
                if re.search(header, name) and not name.startswith("atoll/") and not re.search(allowed, path.as_posix()):
                    yield f"{path}:{number}: {name} may only be included in files that match {allowed}"


def file_length():
    """A file is one noun or one verb."""
    for path in files(SOURCES | {".py", ".sh", ".cmake"}):
        lines = len(path.read_text(encoding="utf-8").splitlines())
        if lines > LINE_LIMIT:
            yield f"{path}:{LINE_LIMIT}: {lines} lines, the limit is {LINE_LIMIT}: cut it in two"


def finished():
    """No notes of unfinished work."""
    for path in files():
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if match := UNFINISHED.search(line):
                yield f"{path}:{number}: says '{match.group(0)}'"


def listed():
    """Every compiled file is named in the CMake files above it: what is not built rots."""
    for path in files({".cpp", ".c", ".cu"}):
        if path.as_posix().startswith("tests/install/"):
            continue
        listings = [f for p in path.parents for f in (*p.glob("CMakeLists.txt"), *p.glob("*.cmake"))]
        if not any(path.stem in f.read_text(encoding="utf-8") for f in listings):
            yield f"{path}:1: no CMakeLists.txt names this file"


def documented():
    """Code shown in the documentation is code that the tests compile and run: the embedding example."""
    example = Path("tests/install/consumer")
    shown = {"cpp": example / "main.cpp", "cmake": example / "CMakeLists.txt"}
    for page in (Path("README.md"), Path("docs/embedding.md")):
        language = None
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("```"):
                language = line[3:].strip()
            elif language in shown and line.strip():
                lines = [text.strip() for text in shown[language].read_text(encoding="utf-8").splitlines()]
                if line.strip() not in lines:
                    yield f"{page}:{number}: no line of {shown[language]}: {line.strip()}"


RULES = {f.__name__: f for f in (one_way, heavy_headers, file_length, finished, listed, documented)}


def self_check():
    """Every rule finds the offence that is planted for it, and nothing in an innocent file."""
    planted = {
        one_way: ("core/a.cpp", "#include <atoll/comm/index_map.hpp>\n"),
        heavy_headers: ("solvers/a.hpp", "#include <Eigen/Dense>\n"),
        file_length: ("io/a.cpp", "\n" * (LINE_LIMIT + 1)),
        finished: ("comm/a.cpp", "// TO" "DO: more\n"),
        listed: ("partition/a.cpp", "int a;\n"),
    }
    for rule, (name, text) in planted.items():
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            file = Path(name)
            file.parent.mkdir()
            (file.parent / "CMakeLists.txt").write_text("a_listed.cpp")
            (file.parent / "a_listed.cpp").write_text("#include <atoll/core/types.hpp>\n")
            if list(rule()):
                yield f"{rule.__name__} complains about an innocent file"
            file.write_text(text)
            if rule is listed:
                file.rename(file.with_name("b.cpp"))
            if len(list(rule())) != 1:
                yield f"{rule.__name__} does not find what was planted"


def main():
    if sys.argv[1:] == ["self_check"]:
        faults = list(self_check())
        sys.exit("\n".join(faults) or 0)
    if len(sys.argv) != 2 or sys.argv[1] not in RULES:
        sys.exit(f"usage: repository.py {'|'.join(RULES)}")
    seen = sum(1 for _ in files())
    if seen < 20:
        sys.exit(f"only {seen} source files below {Path.cwd()}: run this at the root of the tree")
    rule = RULES[sys.argv[1]]
    offences = list(rule())
    print("\n".join(offences) or f"{seen} files: {rule.__doc__.splitlines()[0]}")
    sys.exit(1 if offences else 0)


if __name__ == "__main__":
    main()
