#pragma once
// Part of packed_loops_body.hpp: columns and values in their widths.

#include <atoll/core/host/packed_loops.hpp>

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
};
template <class T>
struct Coded {
  const std::uint8_t* code;
  const T* palette;
  T operator[](std::uint32_t i) const { return palette[code[i]]; }
};

/// Calls body(columns, values) with the types of this chunk. Narrow columns count from the chunk's base.
template <class T, class Body>
void with_widths(const PackedView<T>& a, const Body& body) {
  const auto with_columns = [&](const auto values) {
    if (a.chunk.column_width == ColumnWidth::narrow)
      body(Narrow{a.narrow}, values);
    else
      body(Wide{a.wide}, values);
  };
  switch (a.chunk.value_width) {
  case ValueWidth::full:
    return with_columns(Values<T, T>{a.full});
  case ValueWidth::single:
    return with_columns(Values<T, float>{a.single});
  case ValueWidth::palette:
    return with_columns(Coded<T>{a.code, a.palette});
  }
}

} // namespace
} // namespace atl::host
