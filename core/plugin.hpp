#pragma once

#include <atoll/core/error.hpp>
#include <atoll/core/plugin_abi.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace atl {

/// A plug-in that Atoll knows of, installed or not. Others are found by name just as well.
struct KnownPlugin {
  std::string_view name;
  std::string_view purpose;
  std::string_view how_to_get;
};
ATOLL_API std::span<const KnownPlugin> known_plugins();

/// What the caller must be able to do with a plug-in.
struct PluginNeeds {
  std::uint32_t scalars = 0; ///< mask of ATOLL_SCALAR_...
  std::string mpi_library;   ///< of this process; a plug-in for another one is refused. Empty: not compared
};

/// An opened plug-in that passed its checks; closed with the last owner.
class ATOLL_API Plugin {
 public:
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;
  ~Plugin();

  const atoll_plugin_v1& entry() const { return *entry_; }
  const std::string& path() const { return path_; }

 private:
  friend std::shared_ptr<Plugin> load_plugin(std::string_view name, const PluginNeeds& needs);
  Plugin() = default;
  void open(const std::string& path);
  void check(std::string_view name, const PluginNeeds& needs) const;

  std::string path_;
  void* handle_ = nullptr;
  const atoll_plugin_v1* entry_ = nullptr;
};

/// Opens libatoll_<name>.so, the first that is found in: the folders of $ATOLL_PLUGIN_PATH (separated by
/// ':'), the folder of libatoll.so, its subfolder "atoll". Local; callers agree over ranks before they use
/// it. Errors     Error{environment}, one line: what, where it was looked for, how to get it; or which check
/// failed.
ATOLL_API std::shared_ptr<Plugin> load_plugin(std::string_view name, const PluginNeeds& needs = {});

/// What load_plugin() would find, for `atoll doctor`.
struct PluginStatus {
  std::string name;
  std::string path;                   ///< of the module; empty where none was found
  std::string version;                ///< empty unless usable
  std::vector<std::string> looked_in; ///< folders, in order
  std::string error;                  ///< one line; empty where the plug-in is usable

  bool usable() const { return error.empty(); }
};
ATOLL_API PluginStatus probe_plugin(std::string_view name, const PluginNeeds& needs = {});

} // namespace atl
