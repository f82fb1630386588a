#pragma once

#include "bench_meter.hpp"
#include "distribute.hpp"

namespace atl::app {

/// Products of one matrix in each storage form, with one vector and with several, and the residual. Collective, as all
/// here.
template <class T>
void bench_products(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// Vector passes and dots over the owned rows of a matrix.
template <class T>
void bench_vectors(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// Messages: packing and exchange of the halo, and the sum of four numbers. Nothing on one rank.
template <class T>
void bench_messages(BenchMeter& meter, const std::string& name, const DSparseMatrix<T>& a);

/// Passes on what it hears and keeps the time between iterations.
class IterationClock final : public Observer {
 public:
  explicit IterationClock(ObserverPtr listener) : listener_(std::move(listener)) {}
  void phase_begins(std::string_view name) override { listener_->phase_begins(name); }
  void phase_ends(std::string_view name, double seconds) override { listener_->phase_ends(name, seconds); }
  void progress(Offset done, Offset all) override { listener_->progress(done, all); }
  void iteration(int number, double residual_norm, double reference_norm) override;
  void warning(std::string_view text) override { listener_->warning(text); }
  void decision(std::string_view what, std::string_view why) override { listener_->decision(what, why); }

  /// Seconds of each iteration since the last call.
  std::vector<double> take();

 private:
  ObserverPtr listener_;
  Timer since_;
  int last_ = -1;
  std::vector<double> seconds_;
};

/// One iteration of conjugate gradients with Jacobi, where some run on this matrix. The observer of its context must be
/// `clock`.
template <class T>
void bench_iteration(BenchMeter& meter, IterationClock& clock, const std::string& name,
                     const std::shared_ptr<const DSparseMatrix<T>>& a);

/// Rows that these add for one matrix, at most.
inline constexpr int bench_rows_of_products = 9, bench_rows_of_vectors = 7, bench_rows_of_messages = 3,
                     bench_rows_of_iterations = 1;

} // namespace atl::app
