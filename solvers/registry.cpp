#include <atoll/core/options.hpp>
#include <atoll/solvers/precond/identity.hpp>
#include <atoll/solvers/precond/jacobi.hpp>
#include <atoll/solvers/registry.hpp>

#include <algorithm>
#include <vector>

namespace atl {
namespace {

constexpr SolverName methods[] = {
    {"auto", "picked from the matrix: conjugate gradients for symmetric matrices", true},
    {"cg", "conjugate gradients with one reduction an iteration (Chronopoulos & Gear)", true},
    {"cg-textbook", "conjugate gradients with two reductions an iteration (Hestenes & Stiefel)", true},
    {"cg-pipelined", "conjugate gradients with the reduction hidden behind the product (Ghysels & Vanroose)", true},
    {"minres", "symmetric indefinite systems", false},
    {"bicgstab", "nonsymmetric systems, short recurrence", false},
    {"gmres", "nonsymmetric systems, restarted", false},
    {"fgmres", "nonsymmetric systems with a preconditioner that changes", false},
    {"lsqr", "least squares", false},
    {"direct", "sparse factorisation", false},
};

constexpr SolverName preconditioners[] = {
    {"auto", "picked from the matrix", true},
    {"none", "no preconditioner", true},
    {"jacobi", "division by the diagonal", true},
    {"block-jacobi", "factors of each rank's diagonal block", false},
    {"chebyshev", "a polynomial in the matrix", false},
    {"ilu0", "incomplete LU without fill", false},
    {"ic0", "incomplete Cholesky without fill", false},
    {"schwarz", "overlapping additive Schwarz", false},
    {"amg", "algebraic multigrid", false},
    {"hypre", "BoomerAMG of hypre, a plug-in", false},
};

void require(std::span<const SolverName> names, const char* what, const std::string& name) {
  const auto known = std::ranges::find_if(names, [&](const SolverName& n) { return n.name == name; });
  if (known != names.end() && known->available) return;
  std::string available;
  for (const SolverName& n : names)
    if (n.available) available += (available.empty() ? "" : ", ") + std::string(n.name);
  if (known != names.end())
    throw Error(ErrorKind::environment,
                std::string("the ") + what + " '" + name + "' is not in this build; it has " + available);
  std::vector<std::string_view> all;
  for (const SolverName& n : names) all.emplace_back(n.name);
  const std::string near = nearest_name(name, all);
  throw Error(ErrorKind::usage, std::string("unknown ") + what + " '" + name + "'; " +
                                    (near.empty() ? "this" : "did you mean '" + near + "'? This") + " build has " +
                                    available);
}

} // namespace

std::span<const SolverName> method_names() { return methods; }
std::span<const SolverName> preconditioner_names() { return preconditioners; }

void require_method(const std::string& name) { require(methods, "method", name); }
void require_preconditioner(const std::string& name) { require(preconditioners, "preconditioner", name); }

template <class T>
std::unique_ptr<Preconditioner<T>> make_preconditioner(const std::string& name) {
  require_preconditioner(name);
  if (name == "none") return std::make_unique<Identity<T>>();
  return std::make_unique<Jacobi<T>>(); // "jacobi", and what "auto" picks while it is the strongest there is
}

template ATOLL_API std::unique_ptr<Preconditioner<float>> make_preconditioner(const std::string&);
template ATOLL_API std::unique_ptr<Preconditioner<double>> make_preconditioner(const std::string&);

} // namespace atl
