// SPDX-License-Identifier: GPL-3.0-or-later

// Classes of data and model: by name wherever both have names, never half of them.

#include <gtest/gtest.h>

#include "core/workbench/loading/ClassOrder.h"

namespace headlight {
namespace {

using Names = std::vector<std::string>;
using Order = std::vector<std::int64_t>;

TEST(ClassOrder, IsByNameWhereBothHaveNames) {
  EXPECT_EQ(valueOrThrow(classOrder(Names{"b", "a"}, Names{"a", "b", "c"})), (Order{1, 0}));
  EXPECT_EQ(valueOrThrow(classOrder(Names{"10", "2"}, Names{"2", "10"})), (Order{1, 0}));
  EXPECT_EQ(valueOrThrow(classOrder(Names{"a", "b"}, Names{"a", "b"})), Order());
}

TEST(ClassOrder, IsByNumberOnlyWhereASideHasNoNames) {
  EXPECT_EQ(valueOrThrow(classOrder(Names{"a", "b"}, {})), Order());
  EXPECT_EQ(valueOrThrow(classOrder({}, Names{"a", "b"})), Order());
}

TEST(ClassOrder, RefusesAClassThatIsUnknownWhereverItStands) {
  for (const Names& data : {Names{"x", "a", "b"}, Names{"a", "x", "b"}, Names{"a", "b", "x"}}) {
    const auto order = classOrder(data, Names{"b", "c", "a"});
    ASSERT_FALSE(order);
    EXPECT_EQ(order.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(order.error().message.find("\"x\""), std::string::npos) << order.error().message;
  }
}

}  // namespace
}  // namespace headlight
