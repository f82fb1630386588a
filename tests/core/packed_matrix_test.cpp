// Packing loses nothing: rows, order, values to the bit, in every form; and each form takes the bytes that it should.
#include "packed_rows.hpp"

#include <set>

namespace atl::test {
namespace {

template <class T>
void expect_rows(const PackedMatrix<T>& a, const PlainRows<T>& expected) {
  ASSERT_EQ(a.rows(), expected.rows());
  EXPECT_EQ(a.columns(), expected.columns);
  EXPECT_EQ(a.entries(), std::ssize(expected.all.column));
  ChunkRows<T> rows;
  LocalIndex next = 0;
  for (std::size_t c = 0; c < a.chunks().size(); ++c) {
    const PackedChunk& chunk = a.chunks()[c];
    ASSERT_EQ(chunk.first, next);
    ASSERT_GE(chunk.rows, 1);
    next += chunk.rows;
    a.unpack(c, rows);
    const ChunkRows<T> wanted = expected.rows_of(chunk.first, chunk.rows);
    ASSERT_EQ(rows.begin, wanted.begin);
    ASSERT_EQ(rows.column, wanted.column);
    ASSERT_TRUE(same_bits(rows.value, wanted.value));
    EXPECT_EQ(chunk.entries, wanted.column.size());
    for (const LocalIndex column : wanted.column) {
      ASSERT_GE(column, chunk.reach_begin);
      ASSERT_LT(column, chunk.reach_end);
    }
  }
  EXPECT_EQ(next, a.rows());
}

template <class T>
void check_round_trips() {
  for (const auto& [name, plain] : all_kinds<T>())
    for (const StorageWish wish : all_wishes)
      for (const bool updatable : {false, true}) {
        SCOPED_TRACE(name + ", " + name_of(wish) + (updatable ? ", updatable" : ""));
        const PackedMatrix<T> a = plain.pack(wish, updatable);
        EXPECT_EQ(a.updatable(), updatable);
        expect_rows(a, plain);
        Offset in_forms = 0;
        for (const auto form : {StorageForm::csr, StorageForm::sell, StorageForm::stencil, StorageForm::block})
          in_forms += a.entries_in(form);
        EXPECT_EQ(in_forms, a.entries());
        if (updatable) {
          EXPECT_EQ(a.entries_in(StorageForm::stencil), 0);
        }
        // A wish is kept wherever the form can hold the rows: here they all can, updatable stencils apart.
        constexpr StorageForm wished[] = {StorageForm::csr, StorageForm::csr, StorageForm::sell, StorageForm::stencil,
                                          StorageForm::block};
        if (wish != StorageWish::least_bytes && !(wish == StorageWish::stencil && updatable)) {
          EXPECT_EQ(a.entries_in(wished[static_cast<int>(wish)]), a.entries());
        }
      }
}

TEST(PackedMatrix, GivesBackTheRowsOfDoubles) { check_round_trips<double>(); }
TEST(PackedMatrix, GivesBackTheRowsOfFloats) { check_round_trips<float>(); }

TEST(PackedMatrix, RowsLongerThanASliceCanSay) {
  PlainRows<double> a = random_pattern<double>(20, 70000, 30, 3, true, true, 1);
  ASSERT_GT(a.all.length(10), 65535);
  put_values(a, ValueKind::any, 2);
  for (const StorageWish wish : all_wishes)
    for (const bool updatable : {false, true}) {
      const PackedMatrix<double> packed = a.pack(wish, updatable);
      EXPECT_EQ(packed.entries_in(StorageForm::csr), packed.entries());
      expect_rows(packed, a);
    }
}

TEST(PackedMatrix, ColumnsAreNarrowUpToTheLastThatTwoBytesReach) {
  for (const LocalIndex last : {65535, 65536}) {
    PlainRows<double> a{200000, {}};
    for (int r = 0; r < 9; ++r) a.add_row({70000, 70000 + last});
    put_values(a, ValueKind::any, 3);
    for (const StorageWish wish : {StorageWish::sell, StorageWish::block}) {
      const PackedMatrix<double> packed = a.pack(wish);
      EXPECT_EQ(packed.chunks()[0].column_width, last == 65535 ? ColumnWidth::narrow : ColumnWidth::wide);
      expect_rows(packed, a);
    }
  }
}

TEST(PackedMatrix, ValuesAreAsNarrowAsTheyCanBeExactly) {
  const auto width = [](ValueKind kind, StorageWish wish, bool updatable) {
    PlainRows<double> a = random_pattern<double>(2048, 2048, 100, 7, false, false, 4);
    put_values(a, kind, 5);
    return a.pack(wish, updatable).chunks()[1].value_width;
  };
  EXPECT_EQ(width(ValueKind::few, StorageWish::sell, false), ValueWidth::palette);
  EXPECT_EQ(width(ValueKind::strange, StorageWish::sell, false), ValueWidth::palette);
  EXPECT_EQ(width(ValueKind::single, StorageWish::sell, false), ValueWidth::single);
  EXPECT_EQ(width(ValueKind::single, StorageWish::block, false), ValueWidth::single);
  EXPECT_EQ(width(ValueKind::any, StorageWish::sell, false), ValueWidth::full);
  for (const ValueKind kind : {ValueKind::few, ValueKind::single, ValueKind::any})
    EXPECT_EQ(width(kind, StorageWish::sell, true), ValueWidth::full);
}

TEST(PackedMatrix, APaletteHolds256ValuesZeroAmongThemAndNotOneMore) {
  for (const int distinct : {255, 256, 257}) {
    PlainRows<double> a{300, {}};
    for (LocalIndex r = 0; r < 300; ++r) a.add_row({r});
    for (int r = 0; r < 300; ++r) a.all.value.push_back(1.0 + 0.1 * (r % distinct));
    const PackedMatrix<double> packed = a.pack(StorageWish::sell);
    EXPECT_EQ(packed.chunks()[0].value_width, distinct == 255 ? ValueWidth::palette : ValueWidth::full);
    expect_rows(packed, a);
  }
}

TEST(PackedMatrix, NanPayloadsAndSignallingNansKeepTheirBits) {
  PlainRows<double> a{8, {}};
  for (LocalIndex r = 0; r < 8; ++r) a.add_row({r});
  for (std::uint64_t r = 0; r < 8; ++r) {
    const std::uint64_t bits = 0x7ff0000020000000u | (r & 1) << 51 | (r & 2) << 30 | (r & 4) << 61;
    double value;
    std::memcpy(&value, &bits, sizeof value);
    a.all.value.push_back(value);
  }
  for (const StorageWish wish : all_wishes) expect_rows(a.pack(wish), a);
}

// ---- bytes

TEST(PackedMatrix, PoissonsStencilTakesLessThanTwoBytesARow) {
  const PackedMatrix<double> line = stencil_rows<double>(200, 200, 1).pack(StorageWish::least_bytes);
  EXPECT_EQ(line.entries_in(StorageForm::stencil), line.entries());
  EXPECT_LT(line.bytes(), 2u * 40000);
  const PackedMatrix<double> cube = stencil_rows<double>(40, 40, 40).pack(StorageWish::least_bytes);
  EXPECT_EQ(cube.entries_in(StorageForm::stencil), cube.entries());
  EXPECT_LT(cube.bytes(), 2u * 64000);
  EXPECT_EQ(cube.n_patterns(), 27u); // inside, faces, edges, corners
}

TEST(PackedMatrix, LeastBytesIsNeverWorseThanAnyWishByMoreThanATenth) {
  for (const auto& [name, plain] : all_kinds<double>())
    for (const bool updatable : {false, true}) {
      const auto bytes = [&](StorageWish wish) { return plain.pack(wish, updatable).bytes(); };
      const std::size_t least = bytes(StorageWish::least_bytes);
      // 64: chunks begin on cache lines. 2 KiB: a palette, which chunks do not pay for.
      for (const StorageWish wish : {StorageWish::sell, StorageWish::stencil, StorageWish::block})
        EXPECT_LE(least, bytes(wish) * 11 / 10 + 64 * 4 + 2048) << name << ", " << name_of(wish);
    }
}

TEST(PackedMatrix, FormsTakeTheBytesThatTheirEntriesNeed) {
  PlainRows<double> a{8192, {}};
  Random random(7);
  for (LocalIndex r = 0; r < 8192; ++r) { // 10 entries in each row, in groups of 4 rows
    if (r % 4) {
      const auto& c = a.all.column;
      a.add_row({c.end() - 10, c.end()});
      continue;
    }
    std::set<LocalIndex> row;
    while (row.size() < 10) row.insert(static_cast<LocalIndex>(r * 7 / 8 + random.below(500)));
    a.add_row({row.begin(), row.end()});
  }
  const auto bytes_an_entry = [&](ValueKind kind, StorageWish wish) {
    put_values(a, kind, 8);
    const PackedMatrix<double> packed = a.pack(wish);
    return static_cast<double>(packed.bytes()) / static_cast<double>(packed.entries());
  };
  // A row's or a group's own bytes are less than 0.5 an entry, a palette 0.03.
  EXPECT_NEAR(bytes_an_entry(ValueKind::any, StorageWish::csr), 12.25, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::any, StorageWish::sell), 10.25, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::any, StorageWish::block), 8.75, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::single, StorageWish::sell), 6.25, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::few, StorageWish::sell), 3.25, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::any, StorageWish::least_bytes), 8.75, 0.25);
  EXPECT_NEAR(bytes_an_entry(ValueKind::few, StorageWish::least_bytes), 3.25, 0.25);
}

TEST(PackedMatrix, OneLongRowDoesNotPadTheOthers) {
  PlainRows<double> a = random_pattern<double>(4096, 4096, 64, 5, false, true, 9);
  put_values(a, ValueKind::any, 10);
  EXPECT_LT(a.pack(StorageWish::least_bytes).bytes(), 12 * a.all.column.size());
}

// ---- values in place

template <class T>
void check_places(const PlainRows<T>& plain, StorageWish wish) {
  PackedMatrix<T> a = plain.pack(wish, true);
  std::vector<Offset> places, every;
  for (std::size_t c = 0; c < a.chunks().size(); ++c) {
    a.places(c, places);
    every.insert(every.end(), places.begin(), places.end());
  }
  ASSERT_EQ(every.size(), plain.all.column.size());
  const std::set<Offset> distinct(every.begin(), every.end());
  ASSERT_EQ(distinct.size(), every.size());
  const std::span<T> values = a.values();
  const std::vector<std::uint8_t> before(reinterpret_cast<const std::uint8_t*>(values.data()),
                                         reinterpret_cast<const std::uint8_t*>(values.data() + values.size()));

  // Each entry gets its own number; the old bytes come back with the old values.
  PlainRows<T> other = plain;
  for (std::size_t e = 0; e < every.size(); ++e)
    values[static_cast<std::size_t>(every[e])] = other.all.value[e] = static_cast<T>(e + 1);
  expect_rows(a, other);
  for (std::size_t e = 0; e < every.size(); ++e) values[static_cast<std::size_t>(every[e])] = plain.all.value[e];
  EXPECT_TRUE(same_bits(reinterpret_cast<const std::uint8_t*>(values.data()), before.data(), before.size()));
  // One entry alone.
  if (every.empty()) return;
  other = plain;
  const std::size_t one = every.size() / 3;
  values[static_cast<std::size_t>(every[one])] = other.all.value[one] = T(-77);
  expect_rows(a, other);
}

TEST(PackedPlaces, ChangeTheirEntryAndNothingElse) {
  for (const auto& [name, plain] : all_kinds<double>())
    for (const StorageWish wish : all_wishes) {
      SCOPED_TRACE(name + ", " + name_of(wish));
      check_places(plain, wish);
    }
  for (const auto& [name, plain] : all_kinds<float>()) {
    SCOPED_TRACE(name + ", floats");
    check_places(plain, StorageWish::least_bytes);
  }
}

TEST(PackedPlaces, AreRefusedWhereValuesAreShared) {
  PackedMatrix<double> a = stencil_rows<double>(5, 5, 1).pack(StorageWish::least_bytes);
  std::vector<Offset> places;
  EXPECT_THROW(a.places(0, places), Error);
  EXPECT_THROW((void)a.values(), Error);
}

} // namespace
} // namespace atl::test
