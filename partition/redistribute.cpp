#include <atoll/comm/agree.hpp>
#include <atoll/partition/ghost_values.hpp>
#include <atoll/partition/redistribute.hpp>
#include <atoll/partition/routing.hpp>

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <numeric>
#include <optional>

namespace atl {
namespace {

template <class T>
void check(Communicator& comm, const RowBlock<T>& block, std::span<const int> owner, const Numbering& old) {
  agree(comm, [&] {
    if (block.n_rows != block.n_cols)
      throw Error(ErrorKind::usage,
                  fmt::format("only square matrices are redistributed: this one has {} rows and {} columns",
                              block.n_rows, block.n_cols),
                  "redistribute");
    if (std::ssize(owner) != block.rows())
      throw Error(ErrorKind::usage,
                  fmt::format("one owner a row expected: {} for {} rows", owner.size(), block.rows()),
                  "redistribute");
    if (!old.identity() && std::ssize(old.original_index) != block.rows())
      throw Error(ErrorKind::usage,
                  fmt::format("{} original numbers were given for {} rows", old.original_index.size(), block.rows()),
                  "redistribute");
    for (const int rank : owner)
      if (rank < 0 || rank >= comm.size())
        throw Error(ErrorKind::usage, fmt::format("owner {} is outside the ranks 0..{}", rank, comm.size() - 1),
                    "redistribute");
  });
}

/// Other ranks' rows among the columns, each once.
template <class T>
std::vector<GlobalIndex> list_ghosts(const RowBlock<T>& block) {
  constexpr std::size_t step = std::size_t{1} << 20;
  std::vector<GlobalIndex> ghosts;
  std::size_t sorted = 0;
  const auto tidy = [&] {
    std::sort(ghosts.begin(), ghosts.end());
    ghosts.erase(std::unique(ghosts.begin(), ghosts.end()), ghosts.end());
    sorted = ghosts.size();
  };
  for (const GlobalIndex column : block.column) {
    if (column >= block.row_begin && column < block.row_end()) continue;
    ghosts.push_back(column);
    if (ghosts.size() > 2 * sorted + step) tidy();
  }
  tidy();
  return ghosts;
}

/// What travels ahead of a row's entries.
class RowHead {
 public:
  RowHead() = default;
  RowHead(GlobalIndex original_row, Offset row_entries, bool is_boundary)
      : original(original_row), packed_(2 * row_entries + is_boundary) {}
  Offset entries() const { return packed_ / 2; }
  bool boundary() const { return packed_ % 2 != 0; }

  GlobalIndex original = 0;

 private:
  Offset packed_ = 0;
};

/// How this rank's rows travel: grouped by new owner, there interior rows first, each in old order.
struct Departure {
  std::vector<char> boundary;           ///< by row: has a column that another rank will own
  std::vector<LocalIndex> order;        ///< rows in the order in which they are sent
  std::vector<PeerCount> rows, entries; ///< by destination
};

template <class T>
Departure plan_departure(const RowBlock<T>& block, std::span<const int> owner, const IndexMap& map,
                         std::span<const int> ghost_owner, int ranks) {
  Departure plan;
  plan.boundary.resize(block.rows());
  for (LocalIndex i = 0; i < block.rows(); ++i)
    for (Offset k = block.offsets[i]; k < block.offsets[i + 1] && !plan.boundary[i]; ++k) {
      const GlobalIndex j = block.column[k] - block.row_begin;
      const int column_owner =
          j >= 0 && j < block.rows() ? owner[j] : ghost_owner[map.to_local(block.column[k]) - block.rows()];
      plan.boundary[i] = column_owner != owner[i];
    }
  // A counting sort by (owner, boundary).
  std::vector<LocalIndex> place(2 * static_cast<std::size_t>(ranks) + 1, 0);
  std::vector<Offset> entries(ranks, 0);
  for (LocalIndex i = 0; i < block.rows(); ++i) {
    ++place[2 * owner[i] + plan.boundary[i] + 1];
    entries[owner[i]] += block.offsets[i + 1] - block.offsets[i];
  }
  for (int r = 0; r < ranks; ++r) {
    const LocalIndex rows = place[2 * r + 1] + place[2 * r + 2];
    if (rows > 0) plan.rows.push_back({r, rows});
    if (entries[r] > 0) plan.entries.push_back({r, entries[r]});
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  plan.order.resize(block.rows());
  for (LocalIndex i = 0; i < block.rows(); ++i) plan.order[place[2 * owner[i] + plan.boundary[i]]++] = i;
  return plan;
}

/// Where the rows that came in stand: interior rows of all sources, then boundary rows.
struct Arrival {
  std::vector<LocalIndex> position;  ///< of each incoming row, by source
  std::vector<Offset> offsets;       ///< of the rows here
  std::vector<GlobalIndex> original; ///< of the rows here
};

Arrival place_rows(const std::vector<RowHead>& heads) {
  if (heads.size() > static_cast<std::size_t>(std::numeric_limits<LocalIndex>::max()))
    throw Error(ErrorKind::limit,
                fmt::format("a rank would own {} rows, but counts to {}; use more ranks", heads.size(),
                            std::numeric_limits<LocalIndex>::max()),
                "redistribute");
  LocalIndex next[2] = {0, 0};
  for (const RowHead& head : heads) next[1] += !head.boundary();
  Arrival arrival;
  arrival.position.reserve(heads.size());
  arrival.offsets.assign(heads.size() + 1, 0);
  arrival.original.resize(heads.size());
  for (const RowHead& head : heads) {
    const LocalIndex here = next[head.boundary()]++;
    arrival.position.push_back(here);
    arrival.offsets[here + 1] = head.entries();
    arrival.original[here] = head.original;
  }
  std::partial_sum(arrival.offsets.begin(), arrival.offsets.end(), arrival.offsets.begin());
  return arrival;
}

/// A walk over the entries of a sequence of rows, as if they stood in one array: ascending requests are
/// served at once.
class EntryWalk {
 public:
  /// begin_of(r), entries_of(r): where row number r of the sequence stands, and how many entries it has.
  template <class Begin, class Entries, class Visit>
  void visit(std::size_t rows, Offset first, Offset count, const Begin& begin_of, const Entries& entries_of,
             const Visit& take) {
    if (first < before_) row_ = 0, before_ = 0;
    for (; row_ < rows && count > 0; before_ += entries_of(row_), ++row_) {
      const Offset inside = first - before_, here = entries_of(row_);
      if (inside >= here) continue;
      const Offset run = std::min(count, here - inside);
      take(begin_of(row_) + inside, run);
      first += run;
      count -= run;
      if (count == 0) return; // this row may have more
    }
  }

 private:
  std::size_t row_ = 0;
  Offset before_ = 0;
};

/// First row of each peer in a list grouped by peer.
std::vector<std::size_t> first_rows(std::span<const PeerCount> rows) {
  std::vector<std::size_t> first{0};
  for (const PeerCount& peer : rows) first.push_back(first.back() + static_cast<std::size_t>(peer.count));
  return first;
}

/// The rows of peers that have entries, number by number as in `entries`.
std::vector<std::pair<std::size_t, std::size_t>> rows_with_entries(std::span<const PeerCount> rows,
                                                                   std::span<const PeerCount> entries) {
  const std::vector<std::size_t> first = first_rows(rows);
  std::vector<std::pair<std::size_t, std::size_t>> runs;
  std::size_t r = 0;
  for (const PeerCount& peer : entries) {
    while (rows[r].rank != peer.rank) ++r;
    runs.emplace_back(first[r], first[r + 1] - first[r]);
  }
  return runs;
}

/// Moves one array of entries (columns or values) to the new owners. Collective.
template <class V>
std::vector<V> move_entries(BulkExchange& entries, const BulkExchange& rows, const Departure& departure,
                            const Arrival& arrival, std::span<const Offset> old_offsets, const std::vector<V>& old) {
  const auto outgoing = rows_with_entries(rows.destinations(), entries.destinations());
  const auto incoming = rows_with_entries(rows.sources(), entries.sources());
  std::vector<EntryWalk> out_walk(outgoing.size()), in_walk(incoming.size());
  std::vector<V> moved(arrival.offsets.back());
  entries.run(
      sizeof(V),
      [&](std::size_t d, Offset first, Offset count, std::byte* out) {
        const LocalIndex* row = departure.order.data() + outgoing[d].first;
        out_walk[d].visit(
            outgoing[d].second, first, count, [&](std::size_t r) { return old_offsets[row[r]]; },
            [&](std::size_t r) { return old_offsets[row[r] + 1] - old_offsets[row[r]]; },
            [&](Offset at, Offset run) {
              std::memcpy(out, old.data() + at, run * sizeof(V));
              out += run * sizeof(V);
            });
      },
      [&](std::size_t s, Offset first, Offset count, const std::byte* in) {
        const LocalIndex* row = arrival.position.data() + incoming[s].first;
        in_walk[s].visit(
            incoming[s].second, first, count, [&](std::size_t r) { return arrival.offsets[row[r]]; },
            [&](std::size_t r) { return arrival.offsets[row[r] + 1] - arrival.offsets[row[r]]; },
            [&](Offset at, Offset run) {
              std::memcpy(moved.data() + at, in, run * sizeof(V));
              in += run * sizeof(V);
            });
      });
  return moved;
}

/// Columns to their new numbers, in place. Collective over neighbours.
template <class T>
void renumber_columns(RowBlock<T>& block, const HaloPlanPtr& halo, std::span<const GlobalIndex> new_number) {
  GhostValues<GlobalIndex> numbers(halo);
  const auto ghost_number = numbers.exchange([&](LocalIndex i) { return new_number[i]; });
  const IndexMap& map = *halo->map();
  for (GlobalIndex& column : block.column) {
    const GlobalIndex j = column - block.row_begin;
    column = j >= 0 && j < block.rows() ? new_number[j] : ghost_number[map.to_local(column) - block.rows()];
  }
}

/// Entries of interior rows to the front, of boundary rows to the end; only the latter are held twice.
template <class V>
void reorder_entries(std::span<const Offset> offsets, const std::vector<char>& boundary, std::vector<V>& entries) {
  std::vector<V> last;
  Offset next = 0;
  for (std::size_t i = 0; i < boundary.size(); ++i)
    for (Offset k = offsets[i]; k < offsets[i + 1]; ++k) {
      if (boundary[i])
        last.push_back(entries[k]);
      else
        entries[next++] = entries[k];
    }
  std::copy(last.begin(), last.end(), entries.begin() + next);
}

std::vector<RowHead> list_heads(const Departure& departure, std::span<const Offset> offsets, const Numbering& old) {
  std::vector<RowHead> heads;
  heads.reserve(departure.order.size());
  for (const LocalIndex i : departure.order)
    heads.emplace_back(old.original(i), offsets[i + 1] - offsets[i], departure.boundary[i] != 0);
  return heads;
}

} // namespace

template <class T>
Redistributed<T> redistribute(const Context& context, RowBlock<T>&& block, std::vector<int> owner,
                              const Numbering& old) {
  Communicator& comm = *context.comm;
  check(comm, block, owner, old);
  if (comm.size() == 1) return {std::move(block), old};

  // 1. Who will own what this rank's rows refer to? Which of its rows will be interior?
  const HaloPlanPtr halo = HaloPlan::create(IndexMap::create(context.comm, block.rows(), list_ghosts(block)));
  GhostValues<int> owners(halo);
  const auto ghost_owner = owners.exchange([&](LocalIndex i) { return owner[i]; });
  const Departure departure = plan_departure(block, owner, *halo->map(), ghost_owner, comm.size());
  const std::int64_t stays = std::count(owner.begin(), owner.end(), comm.rank());
  release(owner);
  const bool all_stay = comm.all_reduce(block.rows() - stays, ReduceOp::sum) == 0;

  // 2. Heads travel; new owners place the rows and answer with their new numbers.
  BulkExchange row_plan(context.comm, departure.rows);
  Arrival arrival;
  {
    const auto heads = exchange<RowHead>(row_plan, list_heads(departure, block.offsets, old));
    agree(comm, [&] { arrival = place_rows(heads); });
  }
  const GlobalIndex begin = comm.exclusive_sum(std::ssize(arrival.position));
  std::vector<GlobalIndex> numbers(arrival.position.begin(), arrival.position.end());
  for (GlobalIndex& number : numbers) number += begin;
  numbers = exchange_back<GlobalIndex>(row_plan, numbers);
  std::vector<GlobalIndex> new_number(block.rows());
  for (std::size_t k = 0; k < numbers.size(); ++k) new_number[departure.order[k]] = numbers[k];
  release(numbers);
  renumber_columns(block, halo, new_number);
  release(new_number);

  // 3. Entries travel: columns, then values.
  RowBlock<T> rows{block.n_rows, block.n_cols, begin, {}, {}, {}};
  if (all_stay) {
    reorder_entries(block.offsets, departure.boundary, block.column);
    reorder_entries(block.offsets, departure.boundary, block.value);
    rows.column = std::move(block.column);
    rows.value = std::move(block.value);
  } else {
    BulkExchange entry_plan(context.comm, departure.entries);
    rows.column = move_entries(entry_plan, row_plan, departure, arrival, block.offsets, block.column);
    release(block.column);
    rows.value = move_entries(entry_plan, row_plan, departure, arrival, block.offsets, block.value);
    release(block.value);
  }
  Numbering numbering{rows.n_rows, begin, static_cast<LocalIndex>(arrival.original.size()),
                      std::move(arrival.original)};
  rows.offsets = std::move(arrival.offsets);
  block = {};
  return {std::move(rows), std::move(numbering)};
}

template Redistributed<float> redistribute(const Context&, RowBlock<float>&&, std::vector<int>, const Numbering&);
template Redistributed<double> redistribute(const Context&, RowBlock<double>&&, std::vector<int>, const Numbering&);

} // namespace atl
