#include <atoll/comm/agree.hpp>
#include <atoll/comm/reductions.hpp>
#include <atoll/core/kernels.hpp>
#include <atoll/solvers/krylov/cg_run.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace atl {
namespace {

/// Squares below this lose digits to underflow.
constexpr double smallest_square = 1e-280;

/// An iterate is kept before the residual grows beyond this times the lowest.
constexpr double most_growth = 2;

constexpr double infinity = std::numeric_limits<double>::infinity();

} // namespace

template <class T>
CgRun<T>::CgRun(LinearOperator<T>& a_in, Preconditioner<T>& m_in, const DVector<T>& b, DVector<T>& x_in,
                const Stopping& stopping, const NullSpace<T>& null_space, CgWorkspace<T>& work_in, double matrix_norm)
    : a(a_in), m(m_in), x(x_in), work(work_in), kernels(a_in.context().executor->template kernels<T>()),
      stopping_(stopping), null_space_(null_space), context_(a_in.context()), b_(project_rhs(b)),
      matrix_norm_(matrix_norm) {
  start();
}

template <class T>
const DVector<T>& CgRun<T>::project_rhs(const DVector<T>& b) {
  if (null_space_.dimension() == 0) return b;
  if (!work.projected_b.map()) work.projected_b = DVector<T>(context_, a.row_map());
  kernels.copy(b.owned_size(), b.data(), work.projected_b.data());
  result_.incompatible = null_space_.project(work.projected_b);
  return work.projected_b;
}

template <class T>
void CgRun<T>::start() {
  result_.rhs_norm = norm(b_);
  const double rounding = 100 * static_cast<double>(std::numeric_limits<T>::epsilon()) * result_.incompatible;
  if (result_.rhs_norm <= rounding) { // zero, or nothing but null space
    x.fill(T{0});
    return end(Reason::converged_exact);
  }
  null_space_.project(x);
  const Measured first = measure(x, work.r);
  size_ = first.size;
  energy_.start(first.with_b + first.with_r, stopping_.smallest_eigenvalue);
  result_.initial_residual = result_.final_residual = result_.recurrence_residual = first.residual;
  if (!std::isfinite(result_.initial_residual) || !std::isfinite(result_.rhs_norm)) return end(Reason::failed_nan);
  const double square = result_.initial_residual * result_.initial_residual;
  if (result_.initial_residual > 0 && (square < smallest_square || !std::isfinite(square)))
    return end(Reason::failed_breakdown);

  switch (stopping_.against) {
  case ReferenceNorm::rhs:
    result_.reference = result_.rhs_norm;
    break;
  case ReferenceNorm::initial:
    result_.reference = result_.initial_residual;
    break;
  case ReferenceNorm::given:
    result_.reference = stopping_.reference;
    break;
  }
  target_ = stopping_.atol;
  if (stopping_.test == StopTest::residual) target_ = std::max(target_, stopping_.rtol * result_.reference);
  lowest_ = result_.initial_residual;
  if (result_.initial_residual <= target_) end_converged();
}

template <class T>
typename CgRun<T>::Measured CgRun<T>::measure(DVector<T>& y, DVector<T>& r) {
  a.residual(y, b_, r);
  const DotPair<T> pairs[] = {
      {r.data(), r.data()}, {y.data(), y.data()}, {b_.data(), y.data()}, {r.data(), y.data()}};
  dots(r.owned_size(), pairs, scratch);
  reduce(scratch, scratch + 4);
  const double* dots = work.host + scratch;
  const double with_b = dots[2], with_r = dots[3], size = std::sqrt(dots[1]);
  return {root(dots[0], r), size, with_b, with_r};
}

template <class T>
double CgRun<T>::norm(const DVector<T>& v) {
  const DotPair<T> pair{v.data(), v.data()};
  dots(v.owned_size(), std::span(&pair, 1), scratch);
  reduce(scratch, scratch + 1);
  return root(work.host[scratch], v);
}

/// The norm of v from its square, unless that left the range of numbers.
template <class T>
double CgRun<T>::root(double square, const DVector<T>& v) {
  return square > smallest_square && std::isfinite(square) ? std::sqrt(square) : scaled_norm(v);
}

/// The norm where squares under- or overflow: divided by the largest entry first.
template <class T>
double CgRun<T>::scaled_norm(const DVector<T>& v) {
  const std::vector<T> values = v.owned_to_host();
  double largest = 0, sum = 0;
  for (const T value : values) {
    const double size = std::abs(static_cast<double>(value));
    largest = std::isnan(size) ? std::numeric_limits<double>::infinity() : std::max(largest, size);
  }
  largest = context_.comm->all_reduce(largest, ReduceOp::max);
  if (largest == 0 || !std::isfinite(largest)) return largest;
  for (const T value : values) sum += (static_cast<double>(value) / largest) * (static_cast<double>(value) / largest);
  return largest * std::sqrt(context_.comm->all_reduce(sum, ReduceOp::sum));
}

template <class T>
Leave CgRun<T>::timed(Leave (&sweep)(CgRun&)) {
  const auto halo_seconds = [&] { return a.matrix() ? a.matrix()->halo().seconds() : 0.0; };
  const double halo = halo_seconds(), reductions = reduction_seconds_;
  const Timer timer;
  const Leave leave = sweep(*this);
  result_.times.iterations += timer.seconds();
  result_.times.halo += halo_seconds() - halo;
  result_.times.reductions += reduction_seconds_ - reductions;
  return leave;
}

template <class T>
void CgRun<T>::clear_state() {
  std::fill_n(work.host, n_scalars, 0.0);
  context_.executor->copy_from_host(work.host, work.scalars.data(), sizeof work.host);
  energy_.restart();
}

template <class T>
void CgRun<T>::fetch_scalars() {
  context_.executor->copy_to_host(work.scalars.data(), work.host, sizeof work.host);
}

template <class T>
std::optional<Leave> CgRun<T>::check_residual(double curvature) {
  const double square = work.host[squared_residual];
  if (!std::isfinite(square)) return Leave::nan;
  result_.recurrence_residual = std::sqrt(square);
  if (reported_ < result_.iterations) {
    reported_ = result_.iterations;
    context_.observer->iteration(result_.iterations, result_.recurrence_residual, result_.reference);
  }
  energy_.residual(work.host[gamma]);
  energy_.curvature(curvature);
  keep_best();
  // Below the rounding of the residual that the sweep began with, the carried one says nothing: time to look.
  constexpr double rounding = static_cast<double>(std::numeric_limits<T>::epsilon()) / 10;
  if (result_.recurrence_residual <= std::max(target_, rounding * result_.final_residual))
    return Leave::small_residual;
  if (stopping_.test == StopTest::energy && energy_.upper() <= stopping_.rtol * energy_.norm())
    return Leave::small_error;
  if (square < smallest_square) return Leave::breakdown;
  if (work.host[stop_request] >= was_interrupted) return Leave::interrupt;
  if (work.host[stop_request] >= time_is_over) return Leave::time;
  if (result_.iterations >= stopping_.max_iterations) return Leave::iterations;
  return {};
}

/// Costs nothing while the residual falls. An iterate is kept at most once for each halving of the lowest residual.
template <class T>
void CgRun<T>::keep_best() {
  const double now = result_.recurrence_residual, enough = most_growth * lowest_;
  if (now > enough && kept_residual_ > enough) keep_step_before();
  lowest_ = std::min(lowest_, now);
  residual_before_ = now;
}

/// x has moved on already, so the step is taken back in the copy.
template <class T>
void CgRun<T>::keep_step_before() {
  if (!work.kept.map()) agree(*context_.comm, [&] { work.kept = DVector<T>(context_, a.col_map()); });
  double step = 0;
  context_.executor->copy_to_host(scalar(alpha), &step, sizeof step);
  step = -step;
  context_.executor->copy_from_host(&step, scalar(scratch), sizeof step);
  kernels.copy(x.owned_size(), x.data(), work.kept.data());
  kernels.axpy(x.owned_size(), scalar(scratch), work.p.data(), work.kept.data());
  kept_residual_ = residual_before_;
  energy_.mark();
}

/// The true residual of the kept iterate takes the place of the carried one.
template <class T>
void CgRun<T>::measure_kept() {
  lowest_ = result_.final_residual;
  if (kept_residual_ == infinity) return;
  null_space_.project(work.kept);
  const Measured kept = measure(work.kept, work.spare());
  kept_residual_ = kept.residual;
  kept_size_ = kept.size;
  if (!std::isfinite(kept_residual_)) kept_residual_ = infinity;
  lowest_ = std::min(lowest_, kept_residual_);
}

template <class T>
std::optional<Leave> CgRun<T>::check_preconditioner() {
  const double value = work.host[gamma];
  if (!std::isfinite(value)) return Leave::nan;
  if (sign_of_gamma_ == 0) sign_of_gamma_ = value > 0 ? 1 : -1;
  if (value * sign_of_gamma_ > 0) return {};
  return Leave::indefinite_preconditioner;
}

template <class T>
std::optional<Leave> CgRun<T>::check_curvature(double value) {
  if (!std::isfinite(value)) return Leave::nan;
  if (sign_of_curvature_ == 0) sign_of_curvature_ = value < 0 ? -1 : 1;
  if (value * sign_of_curvature_ > 0) {
    energy_.curvature(value);
    return {};
  }
  return Leave::lost_curvature;
}

template <class T>
std::optional<Leave> CgRun<T>::advance() {
  // p'Ap follows from the scalars as long as directions are conjugate. Rounding can spoil that, so a wrong sign must be
  // proven on p itself before the matrix is blamed.
  const double gamma_before = work.host[state], alpha_before = work.host[state + 1];
  const double carried = gamma_before == 0 ? 0 : work.host[gamma] / gamma_before * work.host[gamma] / alpha_before;
  const double next_curvature = work.host[delta] - carried;
  if (const auto leave = check_residual(next_curvature)) return leave;
  kernels.cg_scalars(scalar(gamma), scalar(state), scalar(alpha), scalar(beta), scalar(curvature));
  fetch_scalars();
  if (const auto leave = check_preconditioner()) return leave;
  return check_curvature(next_curvature);
}

template <class T>
Leave CgRun<T>::prove_curvature(const DVector<T>& v, const DVector<T>& av) {
  const DotPair<T> pairs[] = {{v.data(), av.data()}, {v.data(), v.data()}, {av.data(), av.data()}};
  dots(v.owned_size(), pairs, squared_residual);
  reduce(squared_residual, stop_request);
  const double value = work.host[0], size = std::sqrt(work.host[1]) * std::sqrt(work.host[2]);
  constexpr double rounding = 1000 * static_cast<double>(std::numeric_limits<T>::epsilon());
  const bool wrong = value == 0 || value * sign_of_curvature_ < -rounding * size;
  return wrong ? Leave::indefinite_operator : Leave::lost_curvature;
}

template <class T>
void CgRun<T>::settle(Leave leave) {
  const double before = distance();
  null_space_.project(x);
  recompute_residual(leave != Leave::lost_curvature && leave != Leave::indefinite_operator);
  if (result_.final_residual <= target_) return end_converged();
  if (error_is_small()) return end(Reason::converged_energy);
  measure_kept();
  if (!std::isfinite(result_.final_residual)) return end(Reason::failed_nan);

  switch (leave) {
  case Leave::small_residual:
  case Leave::small_error:
  case Leave::lost_curvature:
    // The recurrence has drifted. Going on from the true residual must at least halve what is left, or rounding has
    // won.
    if (result_.residual_replacements > 0 && !(distance() <= before / 2 && std::isfinite(distance())))
      return end(Reason::failed_stagnation);
    ++result_.residual_replacements;
    return;
  case Leave::iterations:
    return end(Reason::stopped_iterations);
  case Leave::time:
    return end(Reason::stopped_time);
  case Leave::interrupt:
    return end(Reason::stopped_interrupt);
  case Leave::indefinite_operator:
    return end(Reason::failed_indefinite_operator);
  case Leave::indefinite_preconditioner:
    return end(Reason::failed_indefinite_preconditioner);
  case Leave::breakdown:
    return end(Reason::failed_breakdown);
  case Leave::nan:
    return end(Reason::failed_nan);
  }
}

/// The true residual takes the place of the carried one, and the certificate of x is made. carried: the M^-1 r of the
/// carried residual r is at hand.
template <class T>
void CgRun<T>::recompute_residual(bool carried) {
  DVector<T>&residual = work.spare(), &u = work.preconditioned();
  const Offset n = residual.owned_size();
  a.residual(x, b_, residual);
  const DotPair<T> pairs[] = {{residual.data(), residual.data()}, {x.data(), x.data()}, {residual.data(), u.data()}};
  dots(n, pairs, scratch);
  m.apply(residual, u);
  const DotPair<T> pair{residual.data(), u.data()};
  dots(n, std::span(&pair, 1), scratch + 3);
  reduce(scratch, scratch + 4);
  kernels.copy(n, residual.data(), work.r.data());

  const double* dots = work.host + scratch;
  size_ = std::sqrt(dots[1]);
  // Of the difference d of both residuals: (d, M^-1 d).
  const double difference = carried ? dots[3] - 2 * dots[2] + work.host[gamma] : infinity;
  const double gap = energy_.energy_of(difference), by_residual = energy_.energy_of(dots[3]);
  const auto past = energy_.delayed();
  Certificate& c = result_.certificate;
  c.upper_is_bound = energy_.upper_is_bound();
  c.energy_norm = energy_.norm();
  c.energy_error_upper = std::min(energy_.upper() + gap, by_residual);
  c.energy_error_lower = std::clamp(energy_.lower() - gap, 0.0, c.energy_error_upper);
  c.delay = past.delay;
  c.delayed_upper = past.upper + gap;
  c.delayed_lower = std::max(past.lower - gap, 0.0);
  result_.final_residual = root(dots[0], work.r);
  c.residual_gap = std::abs(result_.final_residual - result_.recurrence_residual);
}

template <class T>
bool CgRun<T>::error_is_small() const {
  return stopping_.test == StopTest::energy &&
         result_.certificate.energy_error_upper <= stopping_.rtol * result_.certificate.energy_norm;
}

/// What is to become small.
template <class T>
double CgRun<T>::distance() const {
  return stopping_.test == StopTest::energy ? result_.certificate.energy_error_upper : result_.final_residual;
}

template <class T>
void CgRun<T>::end_converged() {
  const bool relative =
      stopping_.test == StopTest::residual && result_.final_residual <= stopping_.rtol * result_.reference;
  if (result_.final_residual == 0) return end(Reason::converged_exact);
  end(relative ? Reason::converged_relative : Reason::converged_absolute);
}

template <class T>
void CgRun<T>::end(Reason reason) {
  result_.reason = reason;
  done_ = true;
  if (!is_converged(reason)) take_best();
}

/// The best answer known: the iterate at hand, the kept one or, where both are less than nothing, zero.
template <class T>
void CgRun<T>::take_best() {
  if (kept_residual_ < infinity && !(result_.final_residual <= kept_residual_)) {
    kernels.copy(x.owned_size(), work.kept.data(), x.data());
    result_.final_residual = kept_residual_;
    size_ = kept_size_;
    add_to_error(energy_.since_mark());
  }
  if (std::isfinite(result_.final_residual) && result_.final_residual <= result_.rhs_norm) return;
  x.fill(T{0});
  result_.final_residual = result_.rhs_norm;
  Certificate& c = result_.certificate;
  c.energy_error_lower = c.energy_norm;
  c.energy_error_upper = std::hypot(c.energy_norm, c.energy_error_upper);
  size_ = 0;
}

/// The answer is an earlier iterate: its error squared is larger by what the steps since then took away.
template <class T>
void CgRun<T>::add_to_error(double square) {
  for (double* error : {&result_.certificate.energy_error_lower, &result_.certificate.energy_error_upper})
    *error = std::hypot(*error, std::sqrt(square));
}

template <class T>
SolveResult CgRun<T>::finish() {
  Certificate& c = result_.certificate;
  if (result_.reason == Reason::converged_exact) {
    c.energy_error_lower = c.energy_error_upper = 0;
    c.energy_norm = result_.rhs_norm > 0 ? energy_.norm() : 0;
  } else if (is_failure(result_.reason) && result_.reason != Reason::failed_stagnation) {
    c.forget_energy();
  }
  const double scale = matrix_norm_ * size_ + result_.rhs_norm;
  c.backward_error = result_.final_residual > 0 ? result_.final_residual / scale : result_.final_residual;
  return result_;
}

template class CgRun<float>;
template class CgRun<double>;

} // namespace atl
