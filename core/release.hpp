#pragma once

#include <vector>

namespace atl {

/// Gives a vector's memory back at once; `values = {}` would only empty it and keep its capacity.
template <class T>
void release(std::vector<T>& values) {
  std::vector<T>().swap(values);
}

} // namespace atl
