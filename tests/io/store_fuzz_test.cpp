// Any byte of a store may change: the load either gives the same matrix or an Error, and never a crash.
#include <atoll/io/store.hpp>

#include "store_sample.hpp"
#include "support/contexts.hpp"

#include <gtest/gtest.h>

namespace atl::test {
namespace {

/// Loads mutations of a small store; `count` of them.
void mutate(bool compress, int count, const std::function<void(std::string&, Random&)>& change) {
  const TemporaryFolder folder(make_self_communicator());
  const Context self = test_context(make_self_communicator());
  const StoreSample sample({.rows = 12, .cols = 12, .density = 0.2, .seed = 31}, 3, 32);
  const std::string path = folder.file("a.h5");
  const RowBlock<double> rows = sample.rows<double>(0, 12);
  const std::vector<StoredVector<double>> vectors{{"x", 2, random_values(0, 24, 33)}};
  write_store(self, path, rows, sample.numbering(0, 12), std::span<const GlobalIndex>(sample.ranges),
              {compress, "sample"}, vectors);
  const std::string original = read_bytes(path);
  Random random(34);
  int refused = 0;
  for (int i = 0; i < count; ++i) {
    std::string bytes = original;
    change(bytes, random);
    write_bytes(path, bytes);
    try {
      const StoredMatrix<double> stored = read_store<double>(self, path);
      EXPECT_EQ(difference(stored.rows, rows), "");
      EXPECT_EQ(stored.numbering.original_index, sample.numbering(0, 12).original_index);
      EXPECT_EQ(stored.vectors.size(), 1u);
      if (!stored.vectors.empty()) {
        EXPECT_EQ(stored.vectors[0].values, vectors[0].values);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::bad_input) << error.line();
      ++refused;
    }
  }
  EXPECT_EQ(refused, count); // every byte is covered by a checksum
}

std::size_t anywhere(const std::string& bytes, Random& random) {
  return static_cast<std::size_t>(random.below(std::ssize(bytes)));
}

void flip(std::string& bytes, Random& random) {
  char& byte = bytes[anywhere(bytes, random)];
  byte = static_cast<char>(byte ^ (1 << random.below(8)));
}

TEST(StoreFuzz, OneBit) {
  mutate(false, 1000, flip);
  mutate(true, 400, flip);
}

TEST(StoreFuzz, OneBitAndNoSeal) {
  // Without the seal HDF5 sees the altered structure; its own checksums must do.
  mutate(false, 600, [](std::string& bytes, Random& random) {
    bytes.resize(bytes.size() - 8);
    flip(bytes, random);
  });
}

TEST(StoreFuzz, ManyBytes) {
  mutate(false, 300, [](std::string& bytes, Random& random) {
    for (int i = 0; i < 20; ++i) bytes[anywhere(bytes, random)] ^= static_cast<char>(1 + random.below(255));
  });
}

TEST(StoreFuzz, Pieces) {
  mutate(false, 300, [](std::string& bytes, Random& random) {
    const std::string before = bytes;
    const std::size_t from = anywhere(bytes, random), size = anywhere(bytes, random) % 512 + 1;
    if (random.below(2))
      bytes.erase(from, size);
    else
      bytes.insert(anywhere(bytes, random), bytes.substr(from, size));
    if (bytes == before) bytes.pop_back();
  });
}

} // namespace
} // namespace atl::test
