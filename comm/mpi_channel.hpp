#pragma once
/// Not installed: the two ways to repeat an exchange with MPI.

#include <atoll/comm/mpi_duplicate.hpp>

namespace atl {

std::unique_ptr<Channel> open_mpi_channel(MpiDuplicatePtr duplicate, ChannelKind kind,
                                          std::span<const ChannelPeer> send, const std::byte* send_buffer,
                                          std::span<const ChannelPeer> recv, std::byte* recv_buffer, int tag);

} // namespace atl
