#include <atoll/core/plugin_abi.h>

static const atoll_plugin_v1 description = {
    .abi_version = ATOLL_PLUGIN_ABI_VERSION,
    .struct_size = sizeof(atoll_plugin_v1),
    .name = "good",
    .version = "1.2.3",
    .scalars = ATOLL_SCALAR_DOUBLE,
    .mpi_library = "Test MPI 1.0",
};

const atoll_plugin_v1* atoll_plugin_entry_v1(void);
const atoll_plugin_v1* atoll_plugin_entry_v1(void) {
  return &description;
}
