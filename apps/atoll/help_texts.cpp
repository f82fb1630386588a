#include "help_texts.hpp"

#include <atoll/core/error.hpp>

namespace atl::app {

namespace {

constexpr HelpTexts texts[] = {
    {"solve",
     "Reads A on all ranks at once, cuts it so that few values cross between ranks, solves A x = b, and says "
     "how well: "
     "the residual ||b - A x|| is computed anew at the end, and only when it meets the tolerance is the "
     "system called "
     "solved. A singular matrix whose rows sum to zero (pure Neumann) is noticed: the constants are removed "
     "from b and "
     "x. The answer comes in the numbering of the file. How far it is from the true one is told, too, in the energy "
     "norm, and --stop energy stops by that.",
     "  atoll solve poisson2d:300x300\n"
     "  mpirun -n 4 atoll solve A.mtx --rhs b.mtx --output x.mtx\n"
     "  mpirun -n 4 atoll solve A.h5 --rhs random:7 --rtol 1e-10 --json run.json\n"
     "  mpirun -n 2 atoll solve A.mtx --initial x.mtx --reference-norm initial --rtol 1e-2\n"
     "  atoll solve poisson2d:100x100 --stop energy --rtol 1e-3\n"
     "  atoll solve A.mtx --method cg-textbook --preconditioner none --monitor\n"},
    {"multiply",
     "Computes y = A x over all ranks and writes y in the numbering of the file. The vector file may hold k "
     "vectors as "
     "the columns of an n x k array; they are multiplied together. A may be rectangular, except for powers.",
     "  mpirun -n 4 atoll multiply A.mtx --vector x.mtx --output y.mtx\n"
     "  atoll multiply A.mtx --vector x.mtx --output y.h5 --transpose\n"
     "  mpirun -n 2 atoll multiply poisson3d:50x50x50 --vector x.mtx --output y.mtx --power 40\n"},
    {"partition",
     "Cuts the rows of a square matrix into P parts, whatever the number of ranks, prints the quality of the "
     "cut, and "
     "writes it: OUT.txt gets one 0-based part number a row in file order, OUT.h5 becomes a store that P "
     "ranks load "
     "without another cut. The graph that is cut is that of A + A'.",
     "  atoll partition A.mtx -n 8 -o A8.h5\n"
     "  mpirun -n 4 atoll partition A.mtx -n 64 -o parts.txt --partitioner scotch\n"
     "  atoll partition poisson3d:60x60x60 -n 4 -o parts.txt --imbalance 0.01\n"
     "  mpirun -n 8 atoll solve A8.h5\n"},
    {"convert",
     "Writes the matrix IN as OUT: a Matrix Market file where OUT ends in .mtx, a store where it ends in "
     ".h5. From a "
     "store to a store the partition and the vectors beside the matrix are kept; -n P makes a new partition. "
     "A Matrix Market file is written in original numbering, as symmetric (the lower triangle) where the matrix is "
     "so to the last bit, else as general, with the fewest digits that read back to the same numbers.",
     "  atoll convert A.mtx A.h5\n"
     "  mpirun -n 4 atoll convert A.mtx A16.h5 -n 16\n"
     "  mpirun -n 2 atoll convert A16.h5 A.mtx\n"},
    {"generate",
     "Writes a model problem as a file: Matrix Market where the output ends in .mtx, a store where it ends "
     "in .h5, "
     "partitioned with -n P. Each rank makes its own rows, so the size is bounded by all their memory "
     "together.",
     "  atoll generate poisson2d:300x300 -o p.mtx\n"
     "  mpirun -n 4 atoll generate diffusion3d:100x100x100,contrast=1e6 -o d.h5 -n 8\n"
     "  mpirun -n 2 atoll generate poisson3d27:40x40x40 -o p27.h5\n"},
    {"info",
     "Tells what a matrix is, without solving anything: sizes, entries a row, symmetry of pattern and "
     "values, the "
     "diagonal, zero row sums, empty rows, norms, bandwidth, connected components, hints of definiteness, "
     "where a store "
     "came from, and a picture of the pattern.",
     "  atoll info A.mtx\n"
     "  mpirun -n 4 atoll info A.h5 --json info.json\n"
     "  atoll info poisson2d:30x30\n"},
    {"bench",
     "Measures what memory gives on this machine when 1, 2, 4, ... ranks stream at once, then each kernel of the "
     "solvers on MATRIX (without one, on some model problems) and says which share of that bandwidth it gets: "
     "products in each storage form and with several vectors, vector passes, dots, halo exchange, all-reduce. Run it "
     "as the job will run, on a quiet machine.",
     "  mpirun -n 4 atoll bench\n"
     "  mpirun -n 2 atoll bench poisson3d:160x160x160\n"
     "  mpirun -n 2 atoll bench A.mtx --seconds 1 --json bench.json\n"},
    {"plan",
     "Cuts the matrix as a run on P ranks would, builds one part after the other, and tells what such a run will "
     "need: "
     "memory by part, messages and bytes of an exchange, and the time of an iteration of conjugate gradients with "
     "Jacobi by a model of memory bandwidth, latency and network bandwidth. It runs on any number of ranks, one too; "
     "on as "
     "many as a machine of the real run will have, the measured bandwidth of a rank is that of the real run.",
     "  atoll plan A.mtx -n 64\n"
     "  mpirun -n 2 atoll plan poisson3d:100x100x100 -n 16 --network latency=1e-6,bandwidth=2.5e10\n"
     "  atoll plan A.h5 -n 8 --bandwidth 1.2e10 --json plan.json\n"},
    {"options", "Prints every option of every command with its default, its range and when to change it.",
     "  atoll options\n"
     "  atoll options --json -\n"
     "  atoll options --quiet --json options.json\n",
     false},
    {"doctor",
     "Looks at this installation and this machine: versions, MPI and the ways to exchange values that were "
     "proven to "
     "work, HDF5, the partitioners, plug-ins, processor and memory. Run it as the job will run, with mpirun. "
     "A required "
     "part that fails gives exit status 4.",
     "  atoll doctor\n"
     "  mpirun -n 4 atoll doctor\n"
     "  mpirun -n 2 atoll doctor --json -\n",
     false},
};

constexpr OptionMeaning meanings[] = {
    {"solve", "output", "write the answer x here, whole or not at all, in the numbering of the file",
     "a store where the name ends in .h5 or .hdf5, else a Matrix Market array; a solve that did not converge "
     "writes an answer whose residual is within twice the smallest seen, too"},
    {"multiply", "output", "write the product y here, whole or not at all, in the numbering of the file",
     "a store where the name ends in .h5 or .hdf5, else a Matrix Market array; without it, only the norm of y "
     "is told"},
    {"partition", "output", "write the cut here, whole or not at all",
     ".h5 or .hdf5 is a store that P ranks load without another cut; .txt gets one 0-based part number a row, "
     "in file order, for --partitioner file:FILE"},
    {"generate", "output", "write the model problem here, whole or not at all",
     ".mtx is a Matrix Market file, .h5 or .hdf5 a store"},
    {"partition", "parts", "number of parts to cut the rows into", "as many as the ranks that will use them"},
    {"plan", "parts", "number of ranks of the run that is planned",
     "any number, whatever the ranks that the plan itself runs on"},
    {"convert", "parts", "cut the rows anew into so many parts; OUT is a store",
     "without it, a store keeps its parts when it becomes another store, and other matrices get one"},
    {"generate", "parts", "cut the rows into so many parts; the output is a store",
     "as many as the ranks that will use them; without it, one"},
};

} // namespace

const OptionMeaning* option_meaning(std::string_view command, std::string_view option) {
  for (const OptionMeaning& row : meanings)
    if (row.command == command && row.option == option) return &row;
  return nullptr;
}

const HelpTexts& help_texts(std::string_view command) {
  for (const HelpTexts& row : texts)
    if (row.command == command) return row;
  throw Error(ErrorKind::internal, "a command without help");
}

} // namespace atl::app
