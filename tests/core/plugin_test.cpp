#include <atoll/core/plugin.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace atl {
namespace {

void expect_contains(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

class Plugins : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* path = std::getenv("ATOLL_PLUGIN_PATH")) before = path;
    setenv("ATOLL_PLUGIN_PATH", "/nowhere::" ATOLL_TEST_PLUGINS ":/last", 1);
  }
  void TearDown() override {
    if (before)
      setenv("ATOLL_PLUGIN_PATH", before->c_str(), 1);
    else
      unsetenv("ATOLL_PLUGIN_PATH");
  }

  /// The text of the Error{environment}, one printable line, that loading must throw.
  static std::string refusal(std::string_view name, const PluginNeeds& needs = {}) {
    try {
      load_plugin(name, needs);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::environment);
      const std::string text = error.what();
      EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' '; })) << text;
      return text;
    }
    return "nothing was thrown";
  }

  std::optional<std::string> before;
};

TEST_F(Plugins, AreFoundCheckedAndOpened) {
  const auto plugin = load_plugin("good", {ATOLL_SCALAR_DOUBLE, "Test MPI 1.0"});
  EXPECT_STREQ(plugin->entry().version, "1.2.3");
  EXPECT_EQ(plugin->path(), ATOLL_TEST_PLUGINS "/libatoll_good.so");
}

TEST_F(Plugins, ThatAreMissingAreNamedWithWhereAndHow) {
  expect_contains(refusal("hypre"), {"'hypre'", "libatoll_hypre.so", "/nowhere", ATOLL_TEST_PLUGINS, "/last",
                                     "/atoll;", "this version of Atoll does not include it"});
  expect_contains(refusal("unheard-of"), {"libatoll_unheard-of.so", "knows no plug-in"});
}

TEST_F(Plugins, OfAnotherAbiAreRefused) {
  expect_contains(refusal("old"), {"'old'", ATOLL_TEST_PLUGINS, "ABI version 4711", "1 is expected"});
}

TEST_F(Plugins, WithoutTheEntryAreRefused) { expect_contains(refusal("bare"), {"'bare'", "atoll_plugin_entry_v1"}); }

TEST_F(Plugins, ThatLackAScalarAreRefused) {
  expect_contains(refusal("good", {ATOLL_SCALAR_FLOAT, ""}), {"'good'", "scalar types", "1 is expected"});
}

TEST_F(Plugins, OfAnotherMpiLibraryAreRefused) {
  expect_contains(refusal("good", {0, "Other\nMPI 2"}), {"Test MPI 1.0", "Other MPI 2 is expected"});
}

TEST_F(Plugins, HaveNamesThatLeadNowhereElse) {
  for (const char* name : {"", "../good", "a/b", "good\n", "good.so"}) EXPECT_THROW(load_plugin(name), Error) << name;
}

TEST_F(Plugins, AreProbedWithoutThrowing) {
  const PluginStatus good = probe_plugin("good");
  EXPECT_TRUE(good.usable());
  EXPECT_EQ(good.version, "1.2.3");
  EXPECT_EQ(good.path, ATOLL_TEST_PLUGINS "/libatoll_good.so");

  const PluginStatus old = probe_plugin("old");
  EXPECT_FALSE(old.usable());
  EXPECT_EQ(old.path, ATOLL_TEST_PLUGINS "/libatoll_old.so");

  const PluginStatus missing = probe_plugin("mumps");
  EXPECT_FALSE(missing.usable());
  EXPECT_EQ(missing.path, "");
  ASSERT_GE(missing.looked_in.size(), 5u);
  EXPECT_EQ(missing.looked_in[0], "/nowhere");
  EXPECT_EQ(missing.looked_in[1], ATOLL_TEST_PLUGINS);
  EXPECT_EQ(missing.looked_in[4], missing.looked_in[3] + "/atoll") << "beside the library, and below it";
}

TEST(KnownPlugins, SayWhatTheyAreFor) {
  const auto plugins = known_plugins();
  for (const char* name : {"cuda", "nccl", "hypre", "mumps", "cudss"})
    EXPECT_TRUE(std::any_of(plugins.begin(), plugins.end(), [&](const auto& p) { return p.name == name; })) << name;
  for (const KnownPlugin& plugin : plugins) EXPECT_FALSE(plugin.purpose.empty() || plugin.how_to_get.empty());
}

} // namespace
} // namespace atl
