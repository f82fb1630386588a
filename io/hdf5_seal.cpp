#include <atoll/comm/agree.hpp>
#include <atoll/io/checksum.hpp>
#include <atoll/io/file_bytes.hpp>
#include <atoll/io/hdf5_seal.hpp>
#include <atoll/io/safe_file.hpp>

#include <algorithm>
#include <cstring>
#include <vector>

namespace atl::hdf5 {
namespace {

constexpr std::uint64_t magic = 0x4c4145534c4c5441; // "ATLLSEAL"
constexpr std::int64_t footer_words = 5;            // extents, bytes sealed, their sum, sum of the seal, magic
constexpr std::int64_t piece_bytes = 1 << 20;

std::uint64_t word_at(const char* bytes) {
  std::uint64_t word = 0;
  for (int i = 7; i >= 0; --i) word = word << 8 | static_cast<unsigned char>(bytes[i]);
  return word;
}

void append(std::string& bytes, std::uint64_t word) {
  for (int i = 0; i < 8; ++i) bytes.push_back(static_cast<char>(word >> (8 * i) & 0xff));
}

std::uint64_t sum_of_words(std::span<const char> bytes, std::uint64_t position) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    char last[8] = {};
    std::memcpy(last, &bytes[i], std::min<std::size_t>(8, bytes.size() - i));
    sum += element_hash(position + i, word_at(last));
  }
  return sum;
}

/// What lies between the plain arrays in the first `size` bytes.
std::vector<Extent> gaps(std::span<const Extent> plain, std::int64_t size) {
  std::vector<Extent> sorted(plain.begin(), plain.end()), gaps;
  std::sort(sorted.begin(), sorted.end(), [](const Extent& a, const Extent& b) { return a.begin < b.begin; });
  std::int64_t at = 0;
  for (const Extent& extent : sorted) {
    if (extent.begin > at) gaps.push_back({at, extent.begin - at});
    at = std::max(at, extent.begin + extent.bytes);
  }
  if (at < size) gaps.push_back({at, size - at});
  return gaps;
}

/// This rank's share of the sum over the gaps: every size()-th piece.
std::uint64_t sum_of_gaps(const Communicator& comm, const FileBytes& file, std::span<const Extent> gaps) {
  std::vector<char> buffer;
  std::uint64_t sum = 0;
  std::int64_t piece = 0;
  for (const Extent& gap : gaps)
    for (std::int64_t done = 0; done < gap.bytes; done += piece_bytes, ++piece) {
      if (piece % comm.size() != comm.rank()) continue;
      buffer.resize(static_cast<std::size_t>(std::min(piece_bytes, gap.bytes - done)));
      file.read(gap.begin + done, buffer);
      sum += sum_of_words(buffer, static_cast<std::uint64_t>(gap.begin + done));
    }
  return sum;
}

[[noreturn]] void refuse(const std::string& path, const char* what) { throw Error(ErrorKind::bad_input, what, path); }

struct Footer {
  bool found = false;
  std::vector<Extent> plain;
  std::int64_t sealed = 0;
  std::uint64_t sum = 0;
};

Footer read_footer(const FileBytes& file, const std::string& path) {
  const char* broken = "the seal at the end of the file is altered; copy or write the store again";
  Footer footer;
  std::vector<char> bytes(8 * footer_words);
  if (file.size() < std::ssize(bytes)) return footer;
  file.read(file.size() - std::ssize(bytes), bytes);
  if (word_at(&bytes[8 * (footer_words - 1)]) != magic) return footer;

  const std::uint64_t extents = word_at(&bytes[0]);
  footer.sealed = static_cast<std::int64_t>(word_at(&bytes[8]));
  footer.sum = word_at(&bytes[16]);
  const std::uint64_t own_sum = word_at(&bytes[24]);
  if (extents > 100000 || footer.sealed < 0 ||
      footer.sealed + 8 * (static_cast<std::int64_t>(2 * extents) + footer_words) != file.size())
    refuse(path, broken);
  bytes.resize(8 * (2 * extents + 3));
  file.read(footer.sealed, bytes);
  if (sum_of_words(bytes, 0) != own_sum) refuse(path, broken);
  for (std::size_t e = 0; e < extents; ++e)
    footer.plain.push_back(
        {static_cast<std::int64_t>(word_at(&bytes[16 * e])), static_cast<std::int64_t>(word_at(&bytes[16 * e + 8]))});
  footer.found = true;
  return footer;
}

} // namespace

void write_seal(Communicator& comm, const std::string& path, std::span<const Extent> plain) {
  std::uint64_t sum = 0;
  std::int64_t size = 0;
  agree(comm, [&] {
    const FileBytes file(path);
    size = file.size();
    sum = sum_of_gaps(comm, file, gaps(plain, size));
  });
  sum = sum_over_ranks(comm, sum);
  agree(comm, [&] {
    if (comm.rank() != 0) return;
    std::string seal;
    for (const Extent& extent : plain) {
      append(seal, static_cast<std::uint64_t>(extent.begin));
      append(seal, static_cast<std::uint64_t>(extent.bytes));
    }
    append(seal, plain.size());
    append(seal, static_cast<std::uint64_t>(size));
    append(seal, sum);
    append(seal, sum_of_words(seal, 0));
    append(seal, magic);
    OutputFile out(path);
    out.write(size, seal);
    out.close();
  });
}

Seal check_seal(Communicator& comm, const std::string& path) {
  Footer footer;
  std::uint64_t sum = 0;
  agree(comm, [&] {
    const FileBytes file(path);
    footer = read_footer(file, path);
    if (footer.found) sum = sum_of_gaps(comm, file, gaps(footer.plain, footer.sealed));
  });
  sum = sum_over_ranks(comm, sum);
  const bool found = comm.all_reduce(std::int64_t{footer.found}, ReduceOp::min) != 0;
  if (!found) return Seal::missing;
  agree(comm, [&] {
    if (sum != footer.sum)
      refuse(path, "the file is altered: its structure, or compressed data, differ from what was written; copy "
                   "or write the store again");
  });
  return Seal::intact;
}

void require_seal(Communicator& comm, const std::string& path, Seal seal) {
  agree(comm, [&] {
    if (seal == Seal::missing)
      refuse(path, "the seal at the end of the file is missing: it was truncated, or changed by another program; "
                   "copy or write the store again");
  });
}

} // namespace atl::hdf5
