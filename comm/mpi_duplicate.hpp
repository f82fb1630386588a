#pragma once
/// Not installed: the one duplicate of an MPI communicator that all objects over it share.

#include <atoll/comm/mpi_communicator.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace atl {

/// Throws Error{environment} with MPI's text unless `code` is MPI_SUCCESS.
void require_mpi(int code, const char* call);

/// Whether MPI may be called: initialised, and MPI_Finalize not begun.
bool mpi_usable();

/// A duplicate, its tags, and the neighbourhood communicators made from it. Kept as an attribute of the
/// caller's communicator; freed when the caller frees that, or at the beginning of MPI_Finalize.
class MpiDuplicate {
 public:
  /// The duplicate of `comm`, made at the first call. Collective over comm then.
  static std::shared_ptr<MpiDuplicate> of(MPI_Comm comm);

  explicit MpiDuplicate(MPI_Comm comm);
  MpiDuplicate(const MpiDuplicate&) = delete;
  MpiDuplicate& operator=(const MpiDuplicate&) = delete;
  ~MpiDuplicate() = default;

  MPI_Comm comm() const; ///< throws Error{usage} once it has been freed
  int rank() const { return rank_; }
  int size() const { return size_; }
  int next_tag();
  /// Graph communicator whose neighbours are these, in this order. Collective; equal lists on all ranks share
  /// one.
  MPI_Comm graph(const std::vector<int>& sources, const std::vector<int>& destinations);
  std::size_t graphs() const { return graphs_.size(); }
  void keep(std::shared_ptr<void> thing) { kept_.push_back(std::move(thing)); }
  /// Frees what MPI holds. Collective; no-op the second time.
  void free();

 private:
  struct Graph {
    std::vector<int> sources, destinations;
    MPI_Comm comm;
  };
  std::int64_t find_common_graph(const std::vector<int>& sources, const std::vector<int>& destinations) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 1, tag_ = 0, highest_tag_ = 32767;
  std::vector<Graph> graphs_;
  std::vector<std::shared_ptr<void>> kept_;
};
using MpiDuplicatePtr = std::shared_ptr<MpiDuplicate>;

} // namespace atl
