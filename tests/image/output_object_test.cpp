// SPDX-License-Identifier: MIT
#include "image/objects/output_object.hpp"

#include <gtest/gtest.h>

using namespace heddle;
using namespace heddle::image;

namespace {

OutputState read(const char* json, base::Diagnostics& diagnostics) {
  const auto node = base::parse_json(json, "s.json");
  const base::NodeContext context{"s.json", "job", &diagnostics};
  base::TableReader reader(*node, context, "state");
  OutputState state = read_output_state(reader);
  reader.finish();
  return state;
}

TEST(OutputObject, DefaultsAreThoseOfTheStruct) {
  base::Diagnostics diagnostics;
  EXPECT_EQ(read("{}", diagnostics), OutputState{});
  EXPECT_TRUE(diagnostics.empty());
}

TEST(OutputObject, MembersInBothVocabularies) {
  base::Diagnostics diagnostics;
  const OutputState s = read(
      R"({"blend": {"enable": true, "src_color": "SRC_ALPHA", "dst_color": "one_minus_src_alpha", "write_disable": "RA"},
    "depth_test": true, "depth_func": "less_or_equal", "stencil_func": "GEQUAL", "pass_op": "increment_and_clamp", "ref": 7, "back_ref": "0x12",
    "constant": [0.5, 1, "0x3f800000", 0], "alpha_format": "UNORM8", "depth_range": [0.25, 0.75]})",
      diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << diagnostics.all()[0].message;
  EXPECT_EQ(s.blend[7].dst_color, BlendFactor::InvSrcAlpha);
  EXPECT_TRUE(s.blend[0].write_disable[0] && s.blend[0].write_disable[3] && !s.blend[0].write_disable[1]);
  const OutputState both =
      read(R"({"blend": {"src_color": "one_minus_src1_color", "dst_color": "ONE_MINUS_SRC1_ALPHA"}})", diagnostics);
  ASSERT_TRUE(diagnostics.empty()) << diagnostics.all()[0].message;
  EXPECT_EQ(both.blend[0].src_color, BlendFactor::InvSrc1Color);
  EXPECT_EQ(both.blend[0].dst_color, BlendFactor::InvSrc1Alpha);
  EXPECT_EQ(s.depth_func, CompareFunction::Lequal);
  EXPECT_EQ(s.front.func, CompareFunction::Gequal);
  EXPECT_EQ(s.front.pass_op, StencilOp::IncrSat);
  EXPECT_EQ(s.back.ref, 0x12);
  EXPECT_EQ(s.constant[2], 1.0f);
  EXPECT_EQ(s.depth_range[1], 0.75f);
}

TEST(OutputObject, WrongMembersAreNamed) {
  base::Diagnostics diagnostics;
  (void)read(R"({"blend": [{"src_colour": "ONE"}], "depth_func": "LEQAL", "ref": 256, "constant": [1]})", diagnostics);
  EXPECT_EQ(diagnostics.errors(), 4u);
}

}  // namespace
