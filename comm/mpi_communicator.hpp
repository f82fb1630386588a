#pragma once
/// The one public header that includes mpi.h.

#include <atoll/comm/communicator.hpp>

#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>

namespace atl {

/// Initialises MPI unless somebody has, and finalises it in the destructor only if it was this object that
/// initialised. For main() functions; a library that embeds Atoll in an MPI program needs none.
class ATOLL_API MpiSession {
 public:
  MpiSession(int* argc, char*** argv);
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession();

 private:
  bool owner_ = false;
};

/// Communicator over an MPI communicator of any origin. The first call on `comm` duplicates it (collective over
/// comm); later calls on the same `comm` share that duplicate, however many objects there are. The duplicate is
/// kept with `comm` and freed when the caller frees `comm` or MPI is finalised. Messages never mix with the
/// caller's. Fortran handles: convert with MPI_Comm_f2c first.
ATOLL_API CommunicatorPtr make_mpi_communicator(MPI_Comm comm);

/// The MPI communicator behind `comm`: the duplicate, MPI_COMM_SELF for a self communicator while MPI is
/// initialised, MPI_COMM_NULL otherwise.
ATOLL_API MPI_Comm native_handle(const Communicator& comm);

} // namespace atl
