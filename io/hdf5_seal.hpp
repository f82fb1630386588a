#pragma once

#include <atoll/comm/communicator.hpp>

#include <span>
#include <string>

namespace atl::hdf5 {

/// Bytes of a file, from `begin` on.
struct Extent {
  std::int64_t begin = 0, bytes = 0;
};

/// Appends to a finished file a checksum of all its bytes but those in `plain`, the uncompressed arrays,
/// which have checksums of their own. HDF5 ignores what follows its data. The sum is taken by all ranks.
/// Collective.
void write_seal(Communicator& comm, const std::string& path, std::span<const Extent> plain);

enum class Seal { intact, missing };

/// Verifies the seal before HDF5 sees the file: HDF5 may crash on altered metadata. A missing seal means a
/// truncated file, or one that another program has changed. Collective. Errors: Error{bad_input}.
Seal check_seal(Communicator& comm, const std::string& path);

/// The last word, when all else is right: a file without its seal is refused. Collective.
void require_seal(Communicator& comm, const std::string& path, Seal seal);

} // namespace atl::hdf5
