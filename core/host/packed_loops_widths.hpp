#pragma once
// Part of packed_loops_body.hpp: columns and values in their widths.

#include <atoll/core/host/packed_loops_simd.hpp>

namespace atl::host {
namespace {

struct Wide {
  const LocalIndex* column;
  LocalIndex operator[](std::uint32_t i) const { return column[i]; }
};
struct Narrow {
  const std::uint16_t* column;
  LocalIndex operator[](std::uint32_t i) const { return column[i]; }
};
template <class T, class Stored>
struct Values {
  const Stored* value;
  T operator[](std::uint32_t i) const { return static_cast<T>(value[i]); }
  const Stored* at(std::uint32_t i) const { return value + i; }
};
template <class T>
struct Coded {
  const std::uint8_t* code;
  const T* palette;
  T operator[](std::uint32_t i) const { return palette[code[i]]; }
};

/// Offsets of a pattern where k vectors are interleaved.
struct Scaled {
  const LocalIndex* offset;
  LocalIndex k;
  Offset operator[](int i) const { return Offset{offset[i]} * k; }
};

/// Calls body(columns, values) with the type of this chunk's columns. Narrow columns count from the chunk's base.
template <class T, class Vals, class Body>
void with_columns(const PackedView<T>& a, Vals values, const Body& body) {
  if (a.chunk.column_width == ColumnWidth::narrow)
    body(Narrow{a.narrow}, values);
  else
    body(Wide{a.wide}, values);
}

/// Values that stand in the chunk itself: groups use no palette.
template <class T, class Body>
void with_own_values(const PackedView<T>& a, const Body& body) {
  if (a.chunk.value_width == ValueWidth::full)
    with_columns(a, Values<T, T>{a.full}, body);
  else
    with_columns(a, Values<T, float>{a.single}, body);
}

template <class T, class Body>
void with_widths(const PackedView<T>& a, const Body& body) {
  if (a.chunk.value_width == ValueWidth::palette)
    with_columns(a, Coded<T>{a.code, a.palette}, body);
  else
    with_own_values(a, body);
}

} // namespace
} // namespace atl::host
