#pragma once

#include <atoll/core/kernels.hpp>

#include <gtest/gtest.h>

#include <ostream>
#include <vector>

namespace atl::test {

/// One test body runs on all of these.
struct ExecutorCase {
  const char* name;
  ExecutorPtr (*make)();
};
inline std::ostream& operator<<(std::ostream& out, const ExecutorCase& c) { return out << c.name; }

inline ExecutorPtr make_host_1() { return make_host_executor(1); }
inline ExecutorPtr make_host_2() { return make_host_executor(2); }
inline ExecutorPtr make_host_3() { return make_host_executor(3); }

inline std::vector<ExecutorCase> tested_executors() {
  return {{"host1", make_host_1}, {"host2", make_host_2}, {"host3", make_host_3}, {"guarded", make_guarded_executor}};
}
inline std::vector<ExecutorCase> all_executors() {
  auto cases = tested_executors();
  cases.push_back({"reference", make_reference_executor});
  return cases;
}
inline std::string case_name(const testing::TestParamInfo<ExecutorCase>& info) { return info.param.name; }

template <class T>
Array<T> put(const ExecutorPtr& executor, const std::vector<T>& values) {
  return Array<T>(executor, std::span<const T>(values));
}

/// A CSR matrix in host memory, as tests write it down.
template <class T>
struct HostCsr {
  LocalIndex rows = 0, columns = 0;
  std::vector<Offset> row_begin{0};
  std::vector<LocalIndex> column;
  std::vector<T> value;
  std::vector<LocalIndex> row_index;

  CsrMatrix<T> on(const ExecutorPtr& executor) const {
    return {rows,
            columns,
            put(executor, row_begin),
            put(executor, column),
            put(executor, value),
            put(executor, row_index)};
  }
};

} // namespace atl::test
