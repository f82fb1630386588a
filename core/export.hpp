#pragma once

/// Marks what the shared library shows. Everything else stays hidden (compiled with -fvisibility=hidden).
#define ATOLL_API __attribute__((visibility("default")))
