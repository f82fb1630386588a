#include "summary.hpp"

#include <gtest/gtest.h>

using namespace atl::app;

TEST(Summary, AlignsLabelsAndKeepsForeignTextOnItsLine) {
  Summary summary;
  summary.add("a", "one");
  summary.add("longer", "two\nforged");
  summary.add_block("picture\n");
  summary.add("b", "three");
  EXPECT_EQ(summary.text(), "a       one\nlonger  two\\x0aforged\nb       three\npicture\n");
}

TEST(Printable, EscapesControlsAndBytesThatAreNoText) {
  EXPECT_EQ(printable("A.mtx \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "A.mtx \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("a\tb\x1b[31m\x7f"), "a\\x09b\\x1b[31m\\x7f");
  EXPECT_EQ(printable("\xc2\x85"), "\\xc2\\x85");                   // a C1 control
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");                   // no UTF-8
  EXPECT_EQ(printable("\xc0\xaf\xe2\x82"), "\\xc0\\xaf\\xe2\\x82"); // overlong, cut off
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
}

TEST(Readable, NumbersForPeople) {
  EXPECT_EQ(readable(std::int64_t{0}), "0");
  EXPECT_EQ(readable(std::int64_t{999}), "999");
  EXPECT_EQ(readable(std::int64_t{1000}), "1,000");
  EXPECT_EQ(readable(std::int64_t{-1234567}), "-1,234,567");
  EXPECT_EQ(readable(std::int64_t{-123}), "-123");
  EXPECT_EQ(readable(1.2345e-9), "1.23e-09");
  EXPECT_EQ(readable(12345.6), "12346");
  EXPECT_EQ(readable_bytes(999), "999 B");
  EXPECT_EQ(readable_bytes(1500), "1.5 kB");
  EXPECT_EQ(readable_bytes(25'300'000'000), "25.3 GB");
  EXPECT_EQ(readable_seconds(0.0123), "0.012");
  EXPECT_EQ(readable_seconds(12.34), "12.3");
  EXPECT_EQ(counted(1, "entry"), "1 entry");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(1200, "row"), "1,200 rows");
}
