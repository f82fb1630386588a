// Writes a store with vectors beside its matrix, or with a NaN in it, and tells the vectors of one:
// store_program write|write-nan|show FILE
#include <atoll/comm/context.hpp>
#include <atoll/io/store.hpp>

#include <cmath>
#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const atl::Context context = atl::make_self_context();
  const std::string_view wish = argv[1];
  if (wish.starts_with("write")) {
    const double last = wish == "write-nan" ? std::nan("") : 4;
    const atl::RowBlock<double> rows{4, 4, 0, {0, 1, 2, 3, 4}, {0, 1, 2, 0}, {1, 2, 3, last}};
    const atl::Numbering numbering{4, 0, 4, {2, 0, 3, 1}};
    const atl::GlobalIndex ranges[] = {0, 1, 4};
    const atl::StoredVector<double> vectors[] = {{"height", 1, {0.5, 1.5, 2.5, 3.5}},
                                                 {"flow", 2, {1, 2, 3, 4, 5, 6, 7, 8}}};
    atl::write_store<double>(context, argv[2], rows, numbering, ranges, {}, vectors);
    return 0;
  }
  for (const auto& vector : atl::read_store<double>(context, argv[2]).vectors) {
    std::printf("%s", vector.name.c_str());
    for (const double value : vector.values) std::printf(" %g", value);
    std::printf("\n");
  }
}
