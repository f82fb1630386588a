#pragma once
/// What the variants of conjugate gradients share: the state of one solve, its start, its checks and its end.

#include <atoll/comm/reductions.hpp>
#include <atoll/core/cg_sweep.hpp>
#include <atoll/core/timer.hpp>
#include <atoll/solvers/krylov/cg.hpp>
#include <atoll/solvers/krylov/energy.hpp>

#include <limits>
#include <optional>

namespace atl {

/// Places in CgWorkspace::scalars. The first four are sums over ranks: one reduction for the first three
/// dots, two for the textbook form; a stop request of any rank rides along.
enum ScalarPlace {
  squared_residual = 0,
  gamma = 1, ///< (r, M^-1 r)
  delta = 2, ///< (A u, u), or p'Ap in the textbook form
  stop_request = 3,
  state = 4, ///< gamma and alpha of the step before
  alpha = 6,
  minus_alpha = 7,
  beta = 8, ///< and its negative
  curvature = 10,
  scratch = 11, ///< four places
  n_scalars = 15
};

/// Added to the sum of stop requests by a rank whose time is over, or that was interrupted.
inline constexpr double time_is_over = 1, was_interrupted = 1 << 30;

/// Which vectors a sweep works on.
enum class CgForm { textbook, single_reduction, fused, pipelined };

/// Vectors and scalars of conjugate gradients, kept between solves of the same shape.
template <class T>
struct CgWorkspace {
  CgWorkspace(const LinearOperator<T>& a, CgForm form);

  DVector<T> r;                ///< residual, carried by the recurrence; the true one after settle(). Fused: u
  DVector<T> u;                ///< M^-1 r; fused: none
  DVector<T> p;                ///< search direction
  DVector<T> w;                ///< A u (single reduction, pipelined) or A p (textbook); fused: none
  DVector<T> s;                ///< A p, carried (single reduction, pipelined)
  DVector<T> m, am, q, z;      ///< M^-1 w, A m, M^-1 s, A q (pipelined only)
  DVector<T> projected_b;      ///< b without its part in the null space; empty unless there is one
  DVector<T> kept;             ///< the iterate before the residual grew; empty until one first does
  Array<double> scalars;       ///< in the executor's memory, by Scalar
  double host[n_scalars] = {}; ///< the same, for host code
  std::vector<ExactSum> exact; ///< by Scalar: what this rank adds to the next reduction; empty: rounded sums
  OverlappedSum overlapped;    ///< pipelined
  CgForm form;
  const DSparseMatrix<T>* matrix = nullptr; ///< fused: the one that `sweep` was made for
  CgSweep<T> sweep;                         ///< fused

  DVector<T>& preconditioned() { return form == CgForm::fused ? r : u; } ///< holds M^-1 r when a sweep is left
  DVector<T>& spare() { return form == CgForm::fused ? p : w; }          ///< of no use between sweeps

  bool fits(const LinearOperator<T>& a, CgForm wanted) const {
    return form == wanted && r.executor() == a.context().executor && rows_ == a.row_map() && cols_ == a.col_map() &&
           (form != CgForm::fused || matrix == a.matrix());
  }
  std::size_t bytes() const {
    std::size_t total = scalars.bytes() + sweep.bytes() + exact.capacity() * sizeof(ExactSum);
    for (const DVector<T>* v : {&r, &u, &p, &w, &s, &m, &am, &q, &z, &projected_b, &kept})
      total += v->map() ? v->bytes() : 0;
    return total;
  }

 private:
  IndexMapPtr rows_, cols_;
};

/// Why a sweep of iterations was left.
enum class Leave {
  small_residual, ///< the carried residual meets the target
  small_error,    ///< the estimated error meets what StopTest::energy asks for
  iterations,
  time,
  interrupt,
  lost_curvature, ///< p'Ap is lost in rounding: start again from the true residual
  indefinite_operator,
  indefinite_preconditioner,
  breakdown, ///< a square under- or overflowed
  nan
};

/// One solve from start to end. A sweep iterates from a true residual until it is left; settle() recomputes
/// the residual and decides: converged, another sweep (residual replacement), or an ending with its reason.
template <class T>
class CgRun {
 public:
  /// matrix_norm: LinearOperator::norm_inf().
  CgRun(LinearOperator<T>& a, Preconditioner<T>& m, const DVector<T>& b, DVector<T>& x, const Stopping& stopping,
        const NullSpace<T>& null_space, CgWorkspace<T>& work, double matrix_norm);

  bool done() const { return done_; }
  void settle(Leave leave);
  SolveResult finish();

  // ---- for the sweeps
  LinearOperator<T>& a;
  Preconditioner<T>& m;
  DVector<T>& x;
  CgWorkspace<T>& work;
  Kernels<T>& kernels;

  double* scalar(int place) { return work.scalars.data() + place; }
  /// This rank's dot products of owned values, to the scalars from `place` on.
  void dots(Offset n, std::span<const DotPair<T>> pairs, int place);
  /// Sums the scalars [first, last) over the ranks. A range that ends behind stop_request carries this
  /// rank's.
  void reduce(int first, int last);
  /// The same beside other work, until the token is finished. Exact sums are reduced at once, without a token.
  std::optional<SumInFlight> start_reduce(int first, int last);
  void finish_reduce(std::optional<SumInFlight>& sum);
  bool sums_exactly() const { return !work.exact.empty(); }
  void pipelined_dots();                              ///< (r, r), (r, u), (w, u) of this rank
  void residual_of_x() { a.residual(x, b_, work.r); } ///< the true residual in place of the carried one
  void clear_state();
  /// Makes the executor's scalars visible in work.host.
  void fetch_scalars();
  // Checks before a step; each gives the reason to leave, if there is one.
  /// Tells the observer and the estimate of the error; looks at the carried residual and at the limits. alpha and p
  /// must still be those of the step that led here: the iterate before it may be wanted. curvature: p'Ap of the step
  /// ahead, where it is known by now.
  std::optional<Leave> check_residual(double curvature = 0);
  /// gamma = (r, M^-1 r) keeps its sign, so that M is definite.
  std::optional<Leave> check_preconditioner();
  /// p'Ap keeps its sign, so that A is definite (of either sign). A wrong sign gives lost_curvature.
  std::optional<Leave> check_curvature(double value);
  /// Whether v'Av, computed directly, has the wrong sign beyond rounding: then A is indefinite. Else lost_curvature.
  Leave prove_curvature(const DVector<T>& v, const DVector<T>& av);
  /// What follows the one reduction of the single-reduction forms: all checks, and the scalars of the next step.
  std::optional<Leave> advance();
  void count_step() { ++result_.iterations; }
  /// Runs a sweep and adds its time to the result's.
  Leave timed(Leave (&sweep)(CgRun&));

 private:
  const DVector<T>& project_rhs(const DVector<T>& b);
  /// Norms and products of an iterate y and its residual r = b - A y.
  struct Measured {
    double residual = 0, size = 0; ///< ||r||, ||y||
    double with_b = 0, with_r = 0; ///< (b, y), (r, y)
  };
  Measured measure(DVector<T>& y, DVector<T>& r);
  double norm(const DVector<T>& v);
  double scaled_norm(const DVector<T>& v);
  void start();
  double write_stop_request();
  void reduce_exactly(int first, int last, double request);
  double root(double square, const DVector<T>& v);
  void recompute_residual(bool carried);
  bool error_is_small() const;
  double distance() const;
  void end(Reason reason);
  void end_converged();
  void keep_best();
  void keep_step_before();
  void measure_kept();
  void take_best();
  void add_to_error(double square);

  SolveResult result_;
  const Stopping& stopping_;
  const NullSpace<T>& null_space_;
  const Context& context_;
  const DVector<T>& b_; ///< the right-hand side without its part in the null space
  const double matrix_norm_;
  Timer timer_;
  double reduction_seconds_ = 0;
  EnergyEstimate energy_;
  double target_ = 0;
  // Of the iterate at hand and of work.kept, one has a residual of at most most_growth times the lowest.
  double lowest_ = 0, residual_before_ = 0;
  double kept_residual_ = std::numeric_limits<double>::infinity(); ///< infinite while nothing is kept
  double size_ = 0, kept_size_ = 0;                                ///< ||x||; of work.kept
  double sign_of_gamma_ = 0, sign_of_curvature_ = 0;
  int reported_ = -1;
  bool done_ = false;
};

template <class T>
Leave single_reduction_sweep(CgRun<T>& run);
template <class T>
Leave textbook_sweep(CgRun<T>& run);
template <class T>
Leave fused_sweep(CgRun<T>& run);
template <class T>
Leave pipelined_sweep(CgRun<T>& run);

} // namespace atl
