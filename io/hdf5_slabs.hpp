#pragma once
/// Arrays cut into slabs, one a rank, to and from datasets: in bounded rounds, with their checksums.

#include <atoll/comm/agree.hpp>
#include <atoll/io/checksum.hpp>
#include <atoll/io/hdf5_file.hpp>
#include <atoll/io/hdf5_seal.hpp>

#include <algorithm>
#include <functional>
#include <span>

namespace atl::hdf5 {

/// Elements that travel at once: 4 or 8 MiB, and a multiple of the chunks of compressed arrays.
constexpr std::int64_t round_elements = 1 << 20;

/// Rows that fit in a round.
std::int64_t rows_per_round(const Dataset& dataset);

/// A file under way: the datasets written so far, and its ending. A local failure is kept until finish(): a
/// rank that has failed still takes part, with nothing to write.
class SlabWriter {
 public:
  /// Collective, as all members. Creates the file, after a look whether the disk has room for `bytes` of data:
  /// when it runs full under way, HDF5 on several ranks may hang.
  SlabWriter(CommunicatorPtr comm, const std::string& path, std::int64_t bytes);

  /// Collective calls of HDF5 that depend on nothing local.
  void define(const std::function<void(Writer&)>& work);
  Dataset make(Writer& file, const std::string& path, Type type, std::int64_t rows, bool matrix = false,
               std::int64_t columns = 1, bool compress = false);
  /// Rows [first, first + count) of a dataset; fill(i, n, out) gives the elements i .. i + n of this slab.
  template <class S>
  using Fill = std::function<void(std::int64_t, std::int64_t, S*)>;
  template <class S>
  void write(const Dataset& dataset, std::int64_t first, std::int64_t count, const Fill<S>& fill);
  template <class S>
  void write(const Dataset& dataset, std::int64_t first, std::span<const S> values);
  /// Agrees that nothing has failed, adds the checksums, closes the file on all ranks and seals it.
  void finish();
  /// Closes the file on all ranks after a failure that all ranks know.
  void abandon() noexcept;

 private:
  CommunicatorPtr comm_;
  std::string path_;
  std::unique_ptr<Writer> file_;
  std::vector<Extent> plain_;
  std::vector<std::string> written_;
  std::vector<std::uint64_t> sums_; ///< this rank's shares, one for each of written_
  std::optional<Error> failure_;
};

/// A whole file: made aside, filled by `content`, finished and renamed, or removed again. `bytes` of data are
/// expected. Collective. Errors: those of content; Error{environment} names `path`.
void write_file(const CommunicatorPtr& comm, const std::string& path, std::int64_t bytes,
                const std::function<void(SlabWriter&)>& content);

/// Rows [first, first + count) of a dataset into `values`, converted where another kind of number is stored;
/// the checksum of the first `checked` of them, as stored, comes back. Local, in rounds.
/// `vanished` counts numbers that are zero as a float, but not in the file.
/// Errors     Error{limit}: a number that is finite in the file, but not as a float.
template <class To>
std::uint64_t read_slab(const Reader& file, const Dataset& dataset, std::int64_t first, std::int64_t count,
                        std::int64_t checked, std::vector<To>& values, std::int64_t* vanished = nullptr);

/// Throws, the same on all ranks, unless the ranks' shares of each checksum add up to that in the file; the
/// text names the first altered dataset. Collective.
void verify(Communicator& comm, const Reader& file, std::span<const Dataset> datasets,
            std::vector<std::uint64_t> shares);
void verify(Communicator& comm, const Reader& file, const Dataset& dataset, std::uint64_t share);
/// The same where this rank has read the whole dataset. Local.
void verify_whole(const Reader& file, const Dataset& dataset, std::uint64_t sum);

} // namespace atl::hdf5
