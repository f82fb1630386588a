#include "cli.hpp"

#include "help.hpp"

#include <atoll/core/options.hpp>
#include <atoll/core/version.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace atl::app {

namespace {

/// The command's name, or an error that names the nearest.
const CommandSpec& require_command(const std::string& name) {
  const CommandSpec* command = find_command(name);
  if (command && command->available) return *command;
  if (command)
    throw Error(ErrorKind::usage, fmt::format("the command is not in this build ({})", command->doc), name);
  if (name.starts_with("-"))
    throw Error(ErrorKind::usage, "the first argument must be a command, such as solve: options follow it", name);
  std::vector<std::string_view> names;
  for (const CommandSpec& known : command_table())
    if (known.available) names.push_back(known.name);
  const std::string near = nearest_name(name, names);
  throw Error(ErrorKind::usage,
              near.empty() ? fmt::format("unknown command; there are {}", fmt::join(names, ", "))
                           : fmt::format("unknown command; did you mean {}?", near),
              name);
}

/// "-o,--output"
std::string spelling(const OptionSpec& option) {
  return option.short_name ? fmt::format("-{},--{}", option.short_name, option.name)
                           : fmt::format("--{}", option.name);
}

/// What the parser found: texts of each option, in the order of the table, and what stands free.
struct Found {
  std::vector<std::vector<std::string>> texts;
  std::vector<std::string> positionals;
  bool help = false;
};

/// "-rtol": one dash is for one letter, so the word would be taken for several short options.
void refuse_single_dash(std::span<const std::string> words) {
  for (const std::string& word : words) {
    if (word.size() < 3 || word[0] != '-' || word[1] == '-') continue;
    const std::string name = word.substr(1, word.find('=') - 1);
    if (find_option(name) || name == "help" || name == "version")
      throw Error(ErrorKind::usage, fmt::format("a long option takes two dashes: --{}", name), "-" + name);
  }
}

/// An option that no row of the table has.
void refuse_extras(const std::vector<std::string>& extras, OptionValues& values) {
  for (std::string extra : extras) {
    if (!extra.starts_with("-") || extra == "-") continue;
    extra.erase(0, extra.starts_with("--") ? 2 : 1);
    values.set(extra.substr(0, extra.find('=')));
    throw Error(ErrorKind::usage, "cannot be understood", extra);
  }
}

/// CLI11 takes the words apart; what they mean is in the table.
Found take_apart(const CommandSpec& command, std::span<const std::string> words, OptionValues& values) {
  refuse_single_dash(words);
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  Found found;
  found.texts.resize(option_table().size());
  for (std::size_t i = 0; i < found.texts.size(); ++i) {
    const OptionSpec& option = option_table()[i];
    if (!(option.taken_by & command.bit)) continue;
    std::vector<std::string>& texts = found.texts[i];
    if (option.kind == OptionKind::flag)
      app.add_flag_function(spelling(option),
                            [&texts](std::int64_t count) { texts.resize(static_cast<std::size_t>(count)); })
          ->disable_flag_override();
    else
      app.add_option(spelling(option), texts)->allow_extra_args(false)->take_all();
  }
  app.add_flag("-h,--help", found.help);
  app.add_option("words", found.positionals);

  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::usage, error.what());
  }
  if (!found.help) refuse_extras(app.remaining(), values);
  return found;
}

/// Ranks read and write byte ranges of their own, which standard input and output do not have.
[[noreturn]] void refuse_dash(const std::string& where) {
  throw Error(ErrorKind::usage,
              "'-' is not standard input or output here, only --json - is; give a name, or ./- for a file called so",
              where);
}

bool takes_file(const OptionSpec& option) {
  return option.kind == OptionKind::file || option.choices.ends_with("|FILE");
}

/// As many free words as the command has places for.
void require_positionals(const CommandSpec& command, const std::vector<std::string>& words) {
  const auto places = static_cast<std::size_t>(
      command.positionals.empty() ? 0 : 1 + std::count(command.positionals.begin(), command.positionals.end(), ' '));
  if (words.size() > places)
    throw Error(ErrorKind::usage,
                fmt::format("one argument too many: the call is 'atoll {}{}{} [options]'", command.name,
                            places ? " " : "", command.positionals),
                words[places]);
  const bool optional = command.positionals.starts_with("[");
  if (words.size() < places && !optional)
    throw Error(ErrorKind::usage, fmt::format("{} is missing: the call is 'atoll {} {} [options]'",
                                              command.positionals, command.name, command.positionals));
  for (const std::string& word : words) {
    if (word.empty()) throw Error(ErrorKind::usage, "an empty argument cannot be a file or a model problem");
    if (word == "-") refuse_dash({});
  }
}

// ---- from values to jobs

PartitionOptions partition_options(const OptionValues& values) {
  static constexpr std::pair<std::string_view, PartitionMethod> methods[] = {
      {"auto", PartitionMethod::automatic},
      {"metis", PartitionMethod::metis},
      {"metis-recursive", PartitionMethod::metis_recursive},
      {"scotch", PartitionMethod::scotch},
      {"coordinates", PartitionMethod::coordinates},
      {"block", PartitionMethod::block}};
  PartitionOptions options;
  options.imbalance = values.real("imbalance");
  options.seed = static_cast<std::uint64_t>(values.integer("seed"));
  if (find_option("local-order")->taken_by & values.command().bit)
    options.order_locally = values.text("local-order") == "auto";
  const std::string method = values.text("partitioner");
  const auto known = std::find_if(std::begin(methods), std::end(methods), [&](auto& m) { return m.first == method; });
  options.method = known == std::end(methods) ? PartitionMethod::file : known->second;
  if (options.method == PartitionMethod::file) options.file = method.substr(std::string_view("file:").size());
  return options;
}

StorageWish storage(const OptionValues& values) {
  static constexpr std::pair<std::string_view, StorageWish> wishes[] = {{"auto", StorageWish::least_bytes},
                                                                        {"csr", StorageWish::csr},
                                                                        {"sell", StorageWish::sell},
                                                                        {"stencil", StorageWish::stencil},
                                                                        {"block", StorageWish::block}};
  const std::string name = values.text("storage");
  return std::find_if(std::begin(wishes), std::end(wishes), [&](auto& w) { return w.first == name; })->second;
}

Stopping stopping(const OptionValues& values) {
  Stopping stop;
  stop.rtol = values.real("rtol");
  stop.atol = values.real("atol");
  stop.max_iterations = static_cast<int>(values.integer("max-iterations"));
  stop.time_limit_seconds = values.real("time-limit");
  if (values.text("stop") == "energy") stop.test = StopTest::energy;
  stop.smallest_eigenvalue = values.real("smallest-eigenvalue");
  const std::string against = values.text("reference-norm");
  if (against == "initial")
    stop.against = ReferenceNorm::initial;
  else if (const auto number = parse_real(against)) {
    stop.against = ReferenceNorm::given;
    stop.reference = *number;
  }
  return stop;
}

SolveJob solve_job(const OptionValues& values, const std::vector<std::string>& words) {
  SolveJob job;
  job.matrix = words[0];
  job.rhs = values.text("rhs");
  job.initial = values.text("initial");
  job.method = values.text("method");
  job.preconditioner = values.text("preconditioner");
  job.null_space = values.text("null-space");
  job.stopping = stopping(values);
  job.partition = partition_options(values);
  job.storage = storage(values);
  job.output = values.text("output");
  job.monitor = values.flag("monitor");
  job.bandwidth = values.text("bandwidth");
  job.reproducible = values.flag("reproducible");
  return job;
}

MultiplyJob multiply_job(const OptionValues& values, const std::vector<std::string>& words) {
  MultiplyJob job;
  job.matrix = words[0];
  job.vector = values.text("vector");
  job.output = values.text("output");
  job.transpose = values.flag("transpose");
  job.power = static_cast<int>(values.integer("power"));
  job.partition = partition_options(values);
  job.storage = storage(values);
  return job;
}

ConvertJob convert_job(const OptionValues& values, const std::string& matrix, const std::string& output) {
  ConvertJob job;
  job.matrix = matrix;
  job.output = output;
  job.parts = values.given("parts") ? static_cast<int>(values.integer("parts")) : 0;
  job.partition = partition_options(values);
  job.compress = values.flag("compress");
  return job;
}

ConvertJob generate_job(const OptionValues& values, const std::vector<std::string>& words) {
  ConvertJob job = convert_job(values, words[0], values.text("output"));
  job.model_problem_only = true;
  return job;
}

PartitionJob partition_job(const OptionValues& values, const std::vector<std::string>& words) {
  PartitionJob job;
  job.matrix = words[0];
  job.output = values.text("output");
  job.parts = static_cast<int>(values.integer("parts"));
  job.partition = partition_options(values);
  job.compress = values.flag("compress");
  return job;
}

BenchJob bench_job(const OptionValues& values, const std::vector<std::string>& words) {
  BenchJob job;
  if (!words.empty()) job.matrix = words[0];
  job.seconds = values.real("seconds");
  job.megabytes = values.integer("megabytes");
  job.partition = partition_options(values);
  return job;
}

PlanJob plan_job(const OptionValues& values, const std::vector<std::string>& words) {
  PlanJob job;
  job.matrix = words[0];
  job.parts = static_cast<int>(values.integer("parts"));
  job.bandwidth = values.text("bandwidth");
  job.network = parse_network(values.text("network"));
  job.partition = partition_options(values);
  job.storage = storage(values);
  return job;
}

CommonJob common_job(const OptionValues& values) {
  CommonJob common;
  common.json = values.text("json");
  common.quiet = values.flag("quiet");
  common.progress = values.text("progress");
  if (find_option("threads")->taken_by & values.command().bit) {
    common.device = values.text("device");
    common.threads = static_cast<int>(values.integer("threads"));
    common.precision = values.text("precision");
  }
  return common;
}

Job make_job(const OptionValues& values, const std::vector<std::string>& words) {
  const CommandSet bit = values.command().bit;
  Job job{std::string(values.command().name), common_job(values), {}};
  if (bit == commands::solve)
    job.work = solve_job(values, words);
  else if (bit == commands::multiply)
    job.work = multiply_job(values, words);
  else if (bit == commands::partition)
    job.work = partition_job(values, words);
  else if (bit == commands::convert)
    job.work = convert_job(values, words[0], words[1]);
  else if (bit == commands::generate)
    job.work = generate_job(values, words);
  else if (bit == commands::info)
    job.work = InfoJob{words[0]};
  else if (bit == commands::bench)
    job.work = bench_job(values, words);
  else if (bit == commands::plan)
    job.work = plan_job(values, words);
  else if (bit == commands::options)
    job.work = OptionsJob{};
  else
    job.work = DoctorJob{};
  return job;
}

} // namespace

std::variant<Job, Help> parse_command_line(std::span<const std::string> arguments) {
  if (arguments.empty()) throw Error(ErrorKind::usage, "a command is missing, such as solve");
  const std::string& first = arguments[0];
  if (first == "--version") return Help{fmt::format("atoll {}\n", atoll_version())};
  if (first == "--help" || first == "-h" || (first == "help" && arguments.size() == 1)) return Help{general_help()};
  if (first == "help") return Help{command_help(require_command(arguments[1]))};

  const CommandSpec& command = require_command(first);
  OptionValues values(command);
  const Found found = take_apart(command, arguments.subspan(1), values);
  if (found.help) return Help{command_help(command)};

  for (std::size_t i = 0; i < found.texts.size(); ++i) {
    const OptionSpec& option = option_table()[i];
    for (const std::string& text : found.texts[i]) {
      if (text.starts_with("--"))
        throw Error(ErrorKind::usage, fmt::format("its value is missing; what follows is {}", text),
                    fmt::format("--{}", option.name));
      if (option.kind != OptionKind::flag && text.empty()) require_valid(option, text);
      if (text == "-" && takes_file(option) && option.name != "json") refuse_dash(fmt::format("--{}", option.name));
      values.set(option.name, text);
    }
  }
  require_positionals(command, found.positionals);
  values.require_complete();
  return make_job(values, found.positionals);
}

} // namespace atl::app
