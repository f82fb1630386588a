#include "clashes.hpp"

#include <atoll/comm/agree.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace atl::app {

namespace {

struct Files {
  std::vector<std::string> read, written;
};

struct FilesOf {
  Files operator()(const SolveJob& job) const { return {{job.matrix, job.rhs, job.initial}, {job.output}}; }
  Files operator()(const MultiplyJob& job) const { return {{job.matrix, job.vector}, {job.output}}; }
  Files operator()(const PartitionJob& job) const { return {{job.matrix}, {job.output}}; }
  Files operator()(const ConvertJob& job) const { return {{}, {job.output}}; }
  Files operator()(const InfoJob& job) const { return {{job.matrix}, {}}; }
  Files operator()(const BenchJob& job) const { return {{job.matrix}, {}}; }
  Files operator()(const PlanJob& job) const { return {{job.matrix}, {}}; }
  Files operator()(const OptionsJob&) const { return {}; }
  Files operator()(const DoctorJob&) const { return {}; }
};

/// Whether two names mean one file on disk. Devices may be named twice.
bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto status = std::filesystem::status(a, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return false;
  if (std::filesystem::equivalent(a, b, error) && !error) return true;
  return std::filesystem::weakly_canonical(a, error) == std::filesystem::weakly_canonical(b, error) && !error;
}

void refuse_same(const std::string& written, const std::string& other, const char* role) {
  if (written.empty() || other.empty() || !same_file(written, other)) return;
  throw Error(ErrorKind::usage, fmt::format("the output would replace {}; name another file", role), written);
}

} // namespace

void refuse_clashes(const Context& context, const Job& job) {
  Files files = std::visit(FilesOf{}, job.work);
  if (job.common.json != "-") files.written.push_back(job.common.json);
  agree(*context.comm, [&] {
    if (context.rank() != 0) return;
    for (std::size_t i = 0; i < files.written.size(); ++i) {
      for (const std::string& read : files.read) refuse_same(files.written[i], read, "an input of this run");
      for (std::size_t j = 0; j < i; ++j)
        refuse_same(files.written[i], files.written[j], "another output of this run");
    }
  });
}

} // namespace atl::app
