#include <atoll/comm/mpi_duplicate.hpp>

#include <fmt/format.h>

#include <atomic>
#include <mutex>

namespace atl {
namespace {

// MPI's attribute keys belong to the process, as MPI itself does. The attribute on MPI_COMM_SELF is the hook
// that MPI calls first in MPI_Finalize: it ends the use of MPI, and frees the duplicates of the predefined
// communicators, which nobody frees before.
struct Keys {
  std::mutex mutex;
  int duplicate = MPI_KEYVAL_INVALID;
  int finalize = MPI_KEYVAL_INVALID;
  std::vector<MpiDuplicatePtr> predefined;
  std::atomic<bool> finalizing = false;
};

Keys& keys() {
  static Keys keys;
  return keys;
}

extern "C" int atoll_free_duplicate(MPI_Comm, int, void* attribute, void*) {
  auto* duplicate = static_cast<MpiDuplicatePtr*>(attribute);
  if (mpi_usable()) (*duplicate)->free();
  delete duplicate;
  return MPI_SUCCESS;
}

extern "C" int atoll_mpi_ends(MPI_Comm, int, void*, void*) {
  for (const MpiDuplicatePtr& duplicate : keys().predefined) duplicate->free();
  keys().predefined.clear();
  keys().finalizing = true;
  return MPI_SUCCESS;
}

void make_keys() {
  const std::lock_guard lock(keys().mutex);
  if (keys().duplicate != MPI_KEYVAL_INVALID) return;
  require_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, atoll_free_duplicate, &keys().duplicate, nullptr),
              "MPI_Comm_create_keyval");
  require_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, atoll_mpi_ends, &keys().finalize, nullptr),
              "MPI_Comm_create_keyval");
  require_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, keys().finalize, nullptr), "MPI_Comm_set_attr");
}

void require_usable(MPI_Comm comm) {
  if (!mpi_usable())
    throw Error(ErrorKind::usage, "MPI is not initialised, or already finalised: call MPI_Init before and "
                                  "MPI_Finalize after all use of an MPI communicator");
  if (comm == MPI_COMM_NULL) throw Error(ErrorKind::usage, "the communicator is MPI_COMM_NULL");
  int inter = 0;
  require_mpi(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter) throw Error(ErrorKind::usage, "the communicator is an inter-communicator: merge its groups first");
}

int highest_tag_of(MPI_Comm comm) {
  int* value = nullptr;
  int found = 0;
  require_mpi(MPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &found), "MPI_Comm_get_attr");
  return found ? *value : 32767;
}

} // namespace

void require_mpi(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  throw Error(ErrorKind::environment, fmt::format("{} failed: {}", call, std::string_view(text, length)));
}

bool mpi_usable() {
  int initialized = 0, finalized = 0;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  return initialized && !finalized && !keys().finalizing;
}

MpiDuplicatePtr MpiDuplicate::of(MPI_Comm comm) {
  require_usable(comm);
  make_keys();
  MpiDuplicatePtr* kept = nullptr;
  int found = 0;
  require_mpi(MPI_Comm_get_attr(comm, keys().duplicate, &kept, &found), "MPI_Comm_get_attr");
  if (found) return *kept;

  const auto duplicate = std::make_shared<MpiDuplicate>(comm);
  require_mpi(MPI_Comm_set_attr(comm, keys().duplicate, new MpiDuplicatePtr(duplicate)), "MPI_Comm_set_attr");
  if (comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF) {
    const std::lock_guard lock(keys().mutex);
    keys().predefined.push_back(duplicate);
  }
  return duplicate;
}

MpiDuplicate::MpiDuplicate(MPI_Comm comm) {
  require_mpi(MPI_Comm_dup(comm, &comm_), "MPI_Comm_dup");
  require_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  require_mpi(MPI_Comm_rank(comm_, &rank_), "MPI_Comm_rank");
  require_mpi(MPI_Comm_size(comm_, &size_), "MPI_Comm_size");
  highest_tag_ = highest_tag_of(comm_);
}

MPI_Comm MpiDuplicate::comm() const {
  if (comm_ == MPI_COMM_NULL)
    throw Error(ErrorKind::usage,
                "the MPI communicator of this object has been freed, or MPI finalised: keep it until "
                "the last object over it has done its work");
  return comm_;
}

int MpiDuplicate::next_tag() {
  const int tag = tag_;
  tag_ = tag_ == highest_tag_ ? 0 : tag_ + 1;
  return tag;
}

// Every rank may hold several graphs with its own lists; one that fits all ranks serves. Graphs have the same
// number on all ranks, since they are made together.
std::int64_t MpiDuplicate::find_common_graph(const std::vector<int>& sources,
                                             const std::vector<int>& destinations) const {
  std::vector<unsigned char> fits(graphs_.size());
  for (std::size_t g = 0; g < graphs_.size(); ++g)
    fits[g] = graphs_[g].sources == sources && graphs_[g].destinations == destinations;
  require_mpi(
      MPI_Allreduce(MPI_IN_PLACE, fits.data(), static_cast<int>(fits.size()), MPI_UNSIGNED_CHAR, MPI_BAND, comm()),
      "MPI_Allreduce");
  for (std::size_t g = 0; g < fits.size(); ++g)
    if (fits[g]) return static_cast<std::int64_t>(g);
  return -1;
}

MPI_Comm MpiDuplicate::graph(const std::vector<int>& sources, const std::vector<int>& destinations) {
  const std::int64_t known = find_common_graph(sources, destinations);
  if (known >= 0) return graphs_[static_cast<std::size_t>(known)].comm;
  Graph made{sources, destinations, MPI_COMM_NULL};
  // MPI_UNWEIGHTED asks for valid pointers even where there are no neighbours.
  const int nobody = 0;
  require_mpi(MPI_Dist_graph_create_adjacent(
                  comm(), static_cast<int>(sources.size()), sources.empty() ? &nobody : sources.data(),
                  MPI_UNWEIGHTED, static_cast<int>(destinations.size()),
                  destinations.empty() ? &nobody : destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made.comm),
              "MPI_Dist_graph_create_adjacent");
  require_mpi(MPI_Comm_set_errhandler(made.comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  graphs_.push_back(std::move(made));
  return graphs_.back().comm;
}

void MpiDuplicate::free() {
  if (comm_ == MPI_COMM_NULL) return;
  kept_.clear();
  for (Graph& graph : graphs_) MPI_Comm_free(&graph.comm);
  graphs_.clear();
  MPI_Comm_free(&comm_);
}

} // namespace atl
