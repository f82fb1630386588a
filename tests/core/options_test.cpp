#include <atoll/core/options.hpp>

#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <set>

namespace atl {
namespace {

OptionValues values_for(std::string_view command) { return OptionValues(*find_command(command)); }

/// The line of the Error{usage} that the action must throw.
template <class Action>
std::string refusal(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.line();
  }
  return "nothing was thrown";
}

std::string refused(std::string_view command, std::string_view name, std::string_view text) {
  return refusal([&] { values_for(command).set(name, text); });
}

void expect_contains(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

TEST(OptionTable, NamesEveryOptionOnceAndIsComplete) {
  std::set<std::string_view> names;
  std::set<char> letters;
  for (const OptionSpec& spec : option_table()) {
    SCOPED_TRACE(spec.name);
    EXPECT_TRUE(names.insert(spec.name).second);
    EXPECT_TRUE(!spec.short_name || letters.insert(spec.short_name).second);
    EXPECT_FALSE(spec.doc.empty());
    EXPECT_FALSE(spec.advice.empty());
    EXPECT_NE(spec.taken_by, commands::none);
    EXPECT_EQ(spec.required_by & ~spec.taken_by, 0u);
    EXPECT_EQ(spec.value_name.empty(), spec.kind == OptionKind::flag);
    EXPECT_EQ(spec.choices.empty(), spec.kind != OptionKind::choice);
    if (!spec.default_value.empty()) {
      EXPECT_NO_THROW(require_valid(spec, spec.default_value));
    }
    EXPECT_EQ(find_option(spec.name), &spec);
  }
  for (const PlannedOption& planned : planned_options()) EXPECT_FALSE(names.contains(planned.name)) << planned.name;
}

TEST(OptionTable, HoldsTheDefaultsOfTheDesign) {
  const auto solve = values_for("solve");
  EXPECT_EQ(solve.text("rhs"), "A*ones");
  EXPECT_EQ(solve.real("rtol"), 1e-8);
  EXPECT_EQ(solve.real("imbalance"), 0.03);
  EXPECT_EQ(solve.text("partitioner"), "auto");
  EXPECT_EQ(solve.text("null-space"), "auto");
  EXPECT_EQ(solve.text("precision"), "double");
  EXPECT_EQ(solve.text("output"), "");
  EXPECT_FALSE(solve.flag("monitor"));
  EXPECT_EQ(values_for("multiply").integer("power"), 1);
}

TEST(OptionTable, KnowsShortNames) {
  ASSERT_NE(find_option('n'), nullptr);
  EXPECT_EQ(find_option('n')->name, "parts");
  EXPECT_EQ(find_option('o')->name, "output");
  EXPECT_EQ(find_option('Z'), nullptr);
  EXPECT_EQ(find_option('\0'), nullptr);
}

TEST(OptionValues, KeepWhatWasGiven) {
  auto solve = values_for("solve");
  solve.set("rtol", "1e-4");
  solve.set("max-iterations", "+250");
  solve.set("monitor");
  solve.set("rhs", "random:42");
  EXPECT_EQ(solve.real("rtol"), 1e-4);
  EXPECT_EQ(solve.integer("max-iterations"), 250);
  EXPECT_TRUE(solve.flag("monitor"));
  EXPECT_EQ(solve.text("rhs"), "random:42");
  EXPECT_TRUE(solve.given("rtol"));
  EXPECT_FALSE(solve.given("atol"));
}

TEST(OptionValues, RefuseNumbersThatAreNone) {
  for (const char* text :
       {"", " 1", "1 ", "abc", "1e-8x", "0x1p-3", "nan", "inf", "-inf", "1e999", "1,5", "+-1", "--1", "1_000", "\n"})
    expect_contains(refused("solve", "atol", text), {"--atol", "a number >= 0"});
  for (const char* text : {"", "1.5", "1e3", "99999999999999999999", "2147483648", "-1"})
    expect_contains(refused("solve", "max-iterations", text), {"--max-iterations", "whole number", "2147483647"});
}

TEST(OptionValues, RefuseNumbersOutOfRangeAndSayTheRange) {
  expect_contains(refused("solve", "rtol", "-1e-8"), {"--rtol", "'-1e-8'", ">= 0", "< 1"});
  expect_contains(refused("solve", "rtol", "1"), {"--rtol", "'1'"});
  expect_contains(refused("partition", "parts", "0"), {"--parts", "'0'", ">= 1"});
  auto solve = values_for("solve");
  EXPECT_NO_THROW(solve.set("rtol", "0"));
  EXPECT_NO_THROW(solve.set("max-iterations", "2147483647"));
}

TEST(OptionValues, CheckChoices) {
  for (const char* text : {"auto", "metis-recursive", "file:parts.txt"})
    EXPECT_NO_THROW(values_for("solve").set("partitioner", text)) << text;
  for (const char* text : {"", "file:", "metis,scotch", "Metis"})
    expect_contains(refused("solve", "partitioner", text), {"--partitioner", "auto, metis", "or file:FILE"});
  for (const char* text : {"rhs", "initial", "2.5"})
    EXPECT_NO_THROW(values_for("solve").set("reference-norm", text)) << text;
  for (const char* text : {"0", "-1", "norm"}) refused("solve", "reference-norm", text);
  EXPECT_NO_THROW(values_for("solve").set("device", "guarded"));
  EXPECT_EQ(refused("solve", "device", "gpu").find("guarded"), std::string::npos) << "for tests, not for users";
}

TEST(OptionValues, RefuseUnknownNamesWithTheNearest) {
  expect_contains(refused("solve", "rtoll", "1"), {"--rtoll", "did you mean --rtol?"});
  expect_contains(refused("solve", "max-iteration", "1"), {"did you mean --max-iterations?"});
  expect_contains(refused("solve", "precond", "1"), {"did you mean --preconditioner?"});
  expect_contains(refused("solve", "xyzzy", "1"), {"unknown option"});
}

TEST(OptionValues, RefuseOptionsOfOtherCommandsAndOfLaterVersions) {
  expect_contains(refused("solve", "power", "2"), {"--power", "not an option of 'atoll solve'"});
  expect_contains(refused("solve", "restart", "30"), {"--restart", "this build does not have"});
  expect_contains(refused("eigs", "k", "3"), {"-k: this build"});
}

TEST(OptionValues, RefuseRepetition) {
  auto solve = values_for("solve");
  solve.set("rtol", "1e-4");
  expect_contains(refusal([&] { solve.set("rtol", "1e-4"); }), {"--rtol", "more than once"});
}

TEST(OptionValues, NameWhatIsMissing) {
  auto partition = values_for("partition");
  partition.set("output", "p.txt");
  expect_contains(refusal([&] { partition.require_complete(); }), {"--parts", "atoll partition"});
  partition.set("parts", "4");
  EXPECT_NO_THROW(partition.require_complete());
}

TEST(OptionValues, ErrorsAreOnePrintableLineWhateverWasTyped) {
  const std::string line = refused("solve", "rtol", "1\n\x1b[31m" + std::string(500, 'x'));
  EXPECT_LT(line.size(), 200u);
  for (const char c : line) EXPECT_GE(c, ' ') << line;
}

TEST(NearestName, CountsEdits) {
  const std::string_view names[] = {"solve", "multiply", "generate", "info"};
  EXPECT_EQ(nearest_name("slove", names), "solve") << "neighbours swapped";
  EXPECT_EQ(nearest_name("solv", names), "solve");
  EXPECT_EQ(nearest_name("multply", names), "multiply");
  EXPECT_EQ(nearest_name("generator", names), "generate");
  EXPECT_EQ(nearest_name("inof", names), "info");
  EXPECT_EQ(nearest_name("gen", names), "generate") << "a beginning";
  EXPECT_EQ(nearest_name("quux", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("solve", {}), "");
}

/// A locale whose numbers are written 1.234,5.
struct CommaLocale {
  struct Comma : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };
  CommaLocale() : before(std::locale::global(std::locale(std::locale::classic(), new Comma))) {
    std::setlocale(LC_ALL, "de_DE.UTF-8"); // where the machine has it
  }
  ~CommaLocale() {
    std::locale::global(before);
    std::setlocale(LC_ALL, "C");
  }
  std::locale before;
};

TEST(OptionValues, DoNotDependOnTheLocale) {
  const CommaLocale comma;
  auto solve = values_for("solve");
  solve.set("rtol", "0.5");
  EXPECT_EQ(solve.real("rtol"), 0.5);
  expect_contains(refused("solve", "atol", "0,5"), {"'0,5'"});
  expect_contains(refused("partition", "parts", "0"), {"1048576"});
  expect_contains(refused("solve", "imbalance", "10.5"), {"<= 10"});
}

TEST(ParseReal, ReadsNearestDouble) {
  EXPECT_EQ(parse_real("0.1"), 0.1);
  EXPECT_EQ(parse_real("+1E+2"), 100.0);
  EXPECT_EQ(parse_real("-.5"), -0.5);
  EXPECT_EQ(parse_real("4.9406564584124654e-324"), 5e-324);
  EXPECT_EQ(parse_real("1e-999"), std::nullopt) << "not a double";
  EXPECT_EQ(parse_integer("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(parse_integer("9223372036854775808"), std::nullopt);
}

} // namespace
} // namespace atl
