#include <atoll/core/sweep_plan.hpp>

#include <algorithm>

namespace atl {

namespace {

using Task = SweepPlan::Task;
using Stage = SweepPlan::Stage;

/// Chunks [begin, end) that a chunk's columns lie in, itself among them.
struct Reach {
  std::uint32_t begin, end;
};

std::vector<Reach> reaches(std::span<const PackedChunk> chunks, LocalIndex owned_columns) {
  std::vector<Reach> reach;
  for (std::uint32_t c = 0; c < chunks.size(); ++c) {
    const LocalIndex low = std::min(chunks[c].reach_begin, owned_columns);
    const LocalIndex high = std::min(chunks[c].reach_end, owned_columns);
    Reach r{c, c + 1};
    if (low < high) {
      r.begin = std::min(r.begin, static_cast<std::uint32_t>(low / PackedMatrix<double>::chunk_rows));
      r.end = std::max(r.end, static_cast<std::uint32_t>((high - 1) / PackedMatrix<double>::chunk_rows + 1));
    }
    reach.push_back(r);
  }
  return reach;
}

/// The largest of values[begin, end) for many ranges: a table of powers of two.
class RangeMaximum {
 public:
  explicit RangeMaximum(std::vector<std::uint32_t> values) : levels_{std::move(values)} {
    for (std::size_t half = 1; 2 * half <= levels_[0].size(); half *= 2) {
      const auto& below = levels_.back();
      std::vector<std::uint32_t> level(levels_[0].size() - 2 * half + 1);
      for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::max(below[i], below[i + half]);
      levels_.push_back(std::move(level));
    }
  }
  std::uint32_t operator()(std::uint32_t begin, std::uint32_t end) const {
    std::size_t level = 0;
    while ((std::uint32_t{2} << level) <= end - begin) ++level;
    return std::max(levels_[level][begin], levels_[level][end - (std::uint32_t{1} << level)]);
  }

 private:
  std::vector<std::vector<std::uint32_t>> levels_;
};

/// The tasks of the chunks [begin, end) for one thread.
SweepPlan::Thread plan(const std::vector<Reach>& reach, std::uint32_t begin, std::uint32_t end, bool alone) {
  const auto inside = [&](std::uint32_t c) { return reach[c].begin >= begin && reach[c].end <= end; };

  // Time in the first part is the chunk whose direction was done last. A step can follow the last chunk it reaches;
  // dots can follow the last step among the chunks they reach. `never`: it needs another thread's rows.
  constexpr std::uint32_t never = ~std::uint32_t{0};
  std::vector<std::uint32_t> step_time(end - begin);
  std::uint32_t last_step = begin;
  for (std::uint32_t c = begin; c < end; ++c) {
    step_time[c - begin] = inside(c) ? reach[c].end - 1 : never;
    if (inside(c)) last_step = std::max(last_step, step_time[c - begin]);
  }
  const RangeMaximum latest(step_time);

  struct Timed {
    std::uint32_t time;
    Task task;
  };
  std::vector<Timed> timed;
  SweepPlan::Thread thread;
  for (std::uint32_t c = begin; c < end; ++c) {
    timed.push_back({c, {Stage::direction, c}});
    if (step_time[c - begin] == never)
      thread.second.push_back({Stage::step, c});
    else
      timed.push_back({step_time[c - begin], {Stage::step, c}});
  }
  for (std::uint32_t c = begin; c < end; ++c) {
    const std::uint32_t time = inside(c) ? latest(reach[c].begin - begin, reach[c].end - begin) : never;
    // What becomes ready with the last step is left for the third part, behind which a halo exchange can hide.
    if (time == never || (alone && time >= last_step))
      thread.third.push_back({Stage::dots, c});
    else
      timed.push_back({time, {Stage::dots, c}});
  }
  std::stable_sort(timed.begin(), timed.end(), [](const Timed& a, const Timed& b) {
    return a.time != b.time ? a.time < b.time : a.task.stage < b.task.stage;
  });
  for (const Timed& t : timed) thread.first.push_back(t.task);
  return thread;
}

} // namespace

SweepPlan::SweepPlan(std::span<const PackedChunk> chunks, LocalIndex owned_columns, int threads) {
  const std::vector<Reach> reach = reaches(chunks, owned_columns);
  Offset entries = 0;
  for (const PackedChunk& c : chunks) entries += c.entries + c.rows;
  std::uint32_t begin = 0;
  Offset seen = 0;
  for (int t = 0; t < threads; ++t) {
    std::uint32_t end = begin;
    while (end < chunks.size() && (t + 1 == threads || seen < entries * (t + 1) / threads)) {
      seen += chunks[end].entries + chunks[end].rows;
      ++end;
    }
    threads_.push_back(plan(reach, begin, end, threads == 1));
    begin = end;
  }
}

std::size_t SweepPlan::bytes() const {
  std::size_t tasks = 0;
  for (const Thread& t : threads_) tasks += t.first.capacity() + t.second.capacity() + t.third.capacity();
  return tasks * sizeof(Task);
}

} // namespace atl
