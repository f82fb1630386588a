#include <atoll/core/plugin.hpp>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>

namespace atl {

namespace {

constexpr std::string_view not_included = "this version of Atoll does not include it";

constexpr KnownPlugin known[] = {
    {"cuda", "kernels on NVIDIA GPUs", not_included},
    {"nccl", "halo exchange and reductions between GPUs", not_included},
    {"hypre", "the preconditioner BoomerAMG", not_included},
    {"mumps", "a direct solver for many ranks", not_included},
    {"cudss", "a direct solver on NVIDIA GPUs", not_included},
};

std::string how_to_get(std::string_view name) {
  for (const KnownPlugin& plugin : known)
    if (plugin.name == name) return std::string(plugin.how_to_get);
  return "Atoll knows no plug-in of that name";
}

/// The folder of the library, or of the program, that holds this function.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&own_folder), &info) || !info.dli_fname) return {};
  std::error_code failed;
  const auto path = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::string() : path.parent_path().string();
}

std::vector<std::string> search_folders() {
  std::vector<std::string> folders;
  if (const char* path = std::getenv("ATOLL_PLUGIN_PATH")) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::string_view folder = rest.substr(0, rest.find(':'));
      if (!folder.empty()) folders.emplace_back(folder);
      rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    }
  }
  if (const std::string own = own_folder(); !own.empty()) {
    folders.push_back(own);
    folders.push_back(own + "/atoll");
  }
  return folders;
}

/// The module's path; empty where no folder has it.
std::string find_module(std::string_view name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    // Absolute, since dlopen() searches elsewhere for a name without a slash.
    std::error_code failed;
    const auto path =
        std::filesystem::absolute(fmt::format("{}/libatoll_{}.so", folder, name), failed).lexically_normal();
    if (!failed && std::filesystem::exists(path, failed)) return path.string();
  }
  return {};
}

[[noreturn]] void refuse(std::string_view name, const std::string& why) {
  throw Error(ErrorKind::environment, fmt::format("the plug-in '{}' {}", name, why));
}

/// A name becomes part of a path: letters, digits, '-' and '_' only.
void require_plain(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  };
  if (name.empty() || !std::all_of(name.begin(), name.end(), plain))
    throw Error(ErrorKind::usage, "the name of a plug-in consists of letters, digits, '-' and '_'");
}

std::string text_or(const char* text, const char* otherwise) { return text ? text : otherwise; }

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

} // namespace

std::span<const KnownPlugin> known_plugins() { return known; }

Plugin::~Plugin() {
  if (handle_) dlclose(handle_);
}

void Plugin::open(const std::string& path) {
  path_ = path;
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) throw Error(ErrorKind::environment, one_line(text_or(dlerror(), "dlopen() failed")));
  const auto function = reinterpret_cast<atoll_plugin_entry_v1_function>(dlsym(handle_, ATOLL_PLUGIN_ENTRY_V1));
  if (!function) throw Error(ErrorKind::environment, fmt::format("has no function {}", ATOLL_PLUGIN_ENTRY_V1));
  entry_ = function();
  if (!entry_) throw Error(ErrorKind::environment, fmt::format("{} returned nothing", ATOLL_PLUGIN_ENTRY_V1));
}

void Plugin::check(std::string_view name, const PluginNeeds& needs) const {
  const auto differs = [](const std::string& what, const auto& seen, const auto& expected) {
    throw Error(ErrorKind::environment, fmt::format("has {} {}, {} is expected", what, seen, expected));
  };
  // Version and size first: nothing behind them may be read otherwise.
  if (entry_->abi_version != ATOLL_PLUGIN_ABI_VERSION)
    differs("ABI version", entry_->abi_version, ATOLL_PLUGIN_ABI_VERSION);
  if (entry_->struct_size < sizeof(atoll_plugin_v1))
    differs("a description of bytes", entry_->struct_size, sizeof(atoll_plugin_v1));
  if (!entry_->name || entry_->name != name) differs("the name", text_or(entry_->name, "(none)"), name);
  if ((entry_->scalars & needs.scalars) != needs.scalars)
    differs("the scalar types (1 float, 2 double)", entry_->scalars, needs.scalars);
  if (entry_->mpi_library && !needs.mpi_library.empty() && entry_->mpi_library != needs.mpi_library)
    differs("been built with the MPI library", one_line(entry_->mpi_library), one_line(needs.mpi_library));
}

std::shared_ptr<Plugin> load_plugin(std::string_view name, const PluginNeeds& needs) {
  require_plain(name);
  const auto folders = search_folders();
  const std::string path = find_module(name, folders);
  if (path.empty())
    refuse(name, fmt::format("is not installed: no libatoll_{}.so in {}; {}", name, fmt::join(folders, ", "),
                             how_to_get(name)));
  std::shared_ptr<Plugin> plugin(new Plugin);
  try {
    plugin->open(path);
    plugin->check(name, needs);
  } catch (const Error& error) {
    refuse(name, fmt::format("in {} cannot be used: {}; rebuild it with this version of Atoll", path, error.what()));
  }
  return plugin;
}

PluginStatus probe_plugin(std::string_view name, const PluginNeeds& needs) {
  PluginStatus status;
  status.name = name;
  status.looked_in = search_folders();
  try {
    require_plain(name);
    status.path = find_module(name, status.looked_in);
    status.version = text_or(load_plugin(name, needs)->entry().version, "unknown");
  } catch (const Error& error) {
    status.error = error.what();
  }
  return status;
}

} // namespace atl
