#include <atoll/comm/agree.hpp>
#include <atoll/partition/redistribute.hpp>
#include <atoll/partition/renumber_columns.hpp>
#include <atoll/partition/routing.hpp>

#include <fmt/format.h>

#include <cstring>
#include <limits>
#include <numeric>

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

/// What travels ahead of a row's entries.
struct RowHead {
  GlobalIndex original = 0;
  Offset entries = 0;
};

/// How this rank's rows travel: grouped by new owner, in old order.
struct Departure {
  std::vector<LocalIndex> order;        ///< rows in the order in which they are sent
  std::vector<PeerCount> rows, entries; ///< by destination
};

Departure plan_departure(std::span<const Offset> offsets, std::span<const int> owner, int ranks) {
  Departure plan;
  std::vector<LocalIndex> place(static_cast<std::size_t>(ranks) + 1, 0);
  std::vector<Offset> entries(static_cast<std::size_t>(ranks), 0);
  const auto rows = static_cast<LocalIndex>(owner.size());
  for (LocalIndex i = 0; i < rows; ++i) {
    ++place[owner[i] + 1];
    entries[owner[i]] += offsets[i + 1] - offsets[i];
  }
  for (int r = 0; r < ranks; ++r) {
    if (place[r + 1] > 0) plan.rows.push_back({r, place[r + 1]});
    if (entries[r] > 0) plan.entries.push_back({r, entries[r]});
  }
  std::partial_sum(place.begin(), place.end(), place.begin());
  plan.order.resize(owner.size());
  for (LocalIndex i = 0; i < rows; ++i) plan.order[place[owner[i]]++] = i;
  return plan;
}

/// The rows that came in, source after source.
struct Arrival {
  std::vector<Offset> offsets;
  std::vector<GlobalIndex> original;
};

Arrival place_rows(const std::vector<RowHead>& heads) {
  if (heads.size() > static_cast<std::size_t>(std::numeric_limits<LocalIndex>::max()))
    throw Error(ErrorKind::limit,
                fmt::format("a rank would own {} rows, but counts to {}; use more ranks", heads.size(),
                            std::numeric_limits<LocalIndex>::max()),
                "redistribute");
  Arrival arrival;
  arrival.offsets.reserve(heads.size() + 1);
  arrival.offsets.push_back(0);
  arrival.original.reserve(heads.size());
  for (const RowHead& head : heads) {
    arrival.offsets.push_back(arrival.offsets.back() + head.entries);
    arrival.original.push_back(head.original);
  }
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
  std::vector<EntryWalk> out_walk(outgoing.size());
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
        // The rows of a source stand together.
        std::memcpy(moved.data() + arrival.offsets[incoming[s].first] + first, in, count * sizeof(V));
      });
  return moved;
}

std::vector<RowHead> list_heads(const Departure& departure, std::span<const Offset> offsets, const Numbering& old) {
  std::vector<RowHead> heads;
  heads.reserve(departure.order.size());
  for (const LocalIndex i : departure.order) heads.push_back({old.original(i), offsets[i + 1] - offsets[i]});
  return heads;
}

} // namespace

template <class T>
Redistributed<T> redistribute(const Context& context, RowBlock<T>&& block, std::vector<int> owner,
                              const Numbering& old) {
  Communicator& comm = *context.comm;
  check(comm, block, owner, old);
  if (comm.size() == 1) return {std::move(block), old};

  const std::int64_t stays = std::count(owner.begin(), owner.end(), comm.rank());
  if (comm.all_reduce(block.rows() - stays, ReduceOp::sum) == 0) return {std::move(block), old};
  const HaloPlanPtr halo = HaloPlan::create(IndexMap::create(context.comm, block.rows(), list_ghosts(block)));
  const Departure departure = plan_departure(block.offsets, owner, comm.size());
  release(owner);

  // 1. Heads travel; new owners place the rows and answer with their new numbers.
  BulkExchange row_plan(context.comm, departure.rows);
  Arrival arrival;
  {
    const auto heads = exchange<RowHead>(row_plan, list_heads(departure, block.offsets, old));
    agree(comm, [&] { arrival = place_rows(heads); });
  }
  const GlobalIndex begin = comm.exclusive_sum(std::ssize(arrival.original));
  std::vector<GlobalIndex> numbers(arrival.original.size());
  std::iota(numbers.begin(), numbers.end(), begin);
  numbers = exchange_back<GlobalIndex>(row_plan, numbers);
  std::vector<GlobalIndex> new_number(block.rows());
  for (std::size_t k = 0; k < numbers.size(); ++k) new_number[departure.order[k]] = numbers[k];
  release(numbers);
  renumber_columns(block, halo, new_number);
  release(new_number);

  // 2. Entries travel: columns, then values.
  RowBlock<T> rows{block.n_rows, block.n_cols, begin, {}, {}, {}};
  BulkExchange entry_plan(context.comm, departure.entries);
  rows.column = move_entries(entry_plan, row_plan, departure, arrival, block.offsets, block.column);
  release(block.column);
  rows.value = move_entries(entry_plan, row_plan, departure, arrival, block.offsets, block.value);
  release(block.value);
  Numbering numbering{rows.n_rows, begin, static_cast<LocalIndex>(arrival.original.size()),
                      std::move(arrival.original)};
  rows.offsets = std::move(arrival.offsets);
  block = {};
  return {std::move(rows), std::move(numbering)};
}

template Redistributed<float> redistribute(const Context&, RowBlock<float>&&, std::vector<int>, const Numbering&);
template Redistributed<double> redistribute(const Context&, RowBlock<double>&&, std::vector<int>, const Numbering&);

} // namespace atl
