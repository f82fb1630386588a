#pragma once

#include <atoll/core/observer.hpp>
#include <atoll/core/timer.hpp>

#include <string>
#include <vector>

namespace atl::app {

/// The command's observer: keeps the history of a solve and the notes of the library, prints the iterations
/// when asked to, and shows progress where somebody looks: one line of standard error, by rank 0.
class Listener final : public Observer {
 public:
  struct Settings {
    bool speaks = false;   ///< this is rank 0
    bool progress = false; ///< this rank shows it
    bool monitor = false;  ///< print every iteration
    bool monitor_on_stderr = false;
    double rtol = 0;        ///< shown beside the residual; 0: none
    int max_iterations = 0; ///< room for the history, so that it need not grow inside the iteration
  };
  explicit Listener(Settings settings);
  ~Listener() override;

  void phase_begins(std::string_view name) override;
  void phase_ends(std::string_view name, double seconds) override;
  void progress(Offset done, Offset all) override;
  void iteration(int number, double residual_norm, double reference_norm) override;
  void warning(std::string_view text) override;
  void decision(std::string_view what, std::string_view why) override;

  /// Residual norms over the norm they are measured against, one an iteration.
  const std::vector<double>& history() const { return history_; }
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  void show(const std::string& line);
  void clear_line();

  Settings settings_;
  bool shown_ = false;
  std::string phase_;
  Timer since_shown_, since_begin_;
  std::vector<double> history_;
  std::vector<std::string> notes_;
};

} // namespace atl::app
