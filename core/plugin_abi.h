#ifndef ATOLL_CORE_PLUGIN_ABI_H
#define ATOLL_CORE_PLUGIN_ABI_H
/*
 * What a plug-in, a module libatoll_<name>.so that is opened on first use, shows to Atoll: one C function of
 * the name and type below, which returns a description that lives as long as the module. Nothing else is
 * looked up by name. Only ever grows: a new field goes to the end, and struct_size tells who has it; whatever
 * else changes gets a new entry name and a new struct.
 */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATOLL_PLUGIN_ABI_VERSION 1u
#define ATOLL_PLUGIN_ENTRY_V1 "atoll_plugin_entry_v1"

/* Scalar types that a plug-in handles: a mask. */
#define ATOLL_SCALAR_FLOAT 1u
#define ATOLL_SCALAR_DOUBLE 2u

typedef struct atoll_plugin_v1 {
  uint32_t abi_version;    /* ATOLL_PLUGIN_ABI_VERSION when the plug-in was compiled */
  uint32_t struct_size;    /* sizeof(atoll_plugin_v1) when the plug-in was compiled */
  const char* name;        /* as in the file name */
  const char* version;     /* of the plug-in and what it wraps, for reports */
  uint32_t scalars;        /* mask of ATOLL_SCALAR_... */
  uint32_t reserved;       /* zero */
  const char* mpi_library; /* MPI_Get_library_version() when compiled; NULL where it makes no MPI calls */
  const char* kind;        /* which table `functions` is: "executor", "transport", "preconditioner", "direct" */
  const void* functions;   /* table of functions of that kind; NULL where there is none */
} atoll_plugin_v1;

typedef const atoll_plugin_v1* (*atoll_plugin_entry_v1_function)(void);

#ifdef __cplusplus
}
#endif

#endif
