/* Speaks an ABI that Atoll does not. Its struct ends after the number, so that reading on would be a fault. */
#include <atoll/core/plugin_abi.h>

static const uint32_t description = 4711u;

const atoll_plugin_v1* atoll_plugin_entry_v1(void);
const atoll_plugin_v1* atoll_plugin_entry_v1(void) {
  return (const atoll_plugin_v1*)(const void*)&description;
}
