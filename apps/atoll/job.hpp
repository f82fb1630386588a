#pragma once

#include "network.hpp"

#include <atoll/core/packed_matrix.hpp>
#include <atoll/partition/partitioner.hpp>
#include <atoll/solvers/stopping.hpp>

#include <string>
#include <variant>

namespace atl::app {

/// What the command line asks for, as plain values: one struct a command.

struct SolveJob {
  std::string matrix;
  std::string rhs = "A*ones"; ///< "A*ones", "ones", "random", "random:SEED", or a file
  std::string initial;        ///< a file; empty: zero
  std::string method = "auto";
  std::string preconditioner = "auto";
  std::string null_space = "auto";
  Stopping stopping;
  PartitionOptions partition;
  StorageWish storage = StorageWish::least_bytes;
  std::string output;
  bool monitor = false;
  bool reproducible = false;
  std::string bandwidth = "auto"; ///< "auto", "measure", or bytes a second of one rank
};

struct MultiplyJob {
  std::string matrix, vector, output;
  bool transpose = false;
  int power = 1;
  PartitionOptions partition;
  StorageWish storage = StorageWish::least_bytes;
};

struct PartitionJob {
  std::string matrix, output;
  int parts = 0;
  PartitionOptions partition;
  bool compress = false;
};

/// convert IN OUT, and generate SPEC -o FILE.
struct ConvertJob {
  std::string matrix, output;
  int parts = 0; ///< 0: a store keeps its partition, other matrices get none
  PartitionOptions partition;
  bool compress = false;
  bool model_problem_only = false;
};

struct InfoJob {
  std::string matrix;
};
struct BenchJob {
  std::string matrix;   ///< empty: some model problems
  double seconds = 0.2; ///< of each measurement, about
  std::int64_t megabytes = 2500;
  PartitionOptions partition;
};
struct PlanJob {
  std::string matrix;
  int parts = 1;
  std::string bandwidth = "auto"; ///< "auto", "measure", or bytes a second of one rank
  Network network;
  PartitionOptions partition;
  StorageWish storage = StorageWish::least_bytes;
};
struct OptionsJob {};
struct DoctorJob {};

/// What all commands share.
struct CommonJob {
  std::string device = "auto";
  std::string precision = "double"; ///< "double" or "float"
  int threads = 1;
  std::string json; ///< "-" for standard output; empty: none
  bool quiet = false;
  std::string progress = "auto"; ///< "auto", "always" or "never"
};

struct Job {
  std::string command;
  CommonJob common;
  std::variant<SolveJob, MultiplyJob, PartitionJob, ConvertJob, InfoJob, BenchJob, PlanJob, OptionsJob, DoctorJob>
      work;
};

} // namespace atl::app
