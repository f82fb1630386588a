// A test that fails on rank 1 alone: the run must fail and say where.
#include "support/contexts.hpp"

#include <gtest/gtest.h>

TEST(MpiPlanted, FailsOnRankOne) { EXPECT_NE(atl::test::world()->rank(), 1); }
