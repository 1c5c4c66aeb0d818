// SPDX-License-Identifier: MIT
#include "image/objects/sampler_text.hpp"

#include <gtest/gtest.h>

namespace heddle::image {
namespace {

TEST(SamplerText, WordsInBothVocabularies) {
  const auto s = parse_sampler("linear,repeat,mip=nearest,max_anisotropy=16,border=0:0:0:1,compare_op=less");
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->sampler.mag_filter, Filter::Linear);
  EXPECT_EQ(s->sampler.tcy, AddressMode::Wrap);
  EXPECT_EQ(s->sampler.mip_filter, MipFilter::Nearest);
  EXPECT_EQ(s->sampler.max_anisotropy, 7);
  EXPECT_EQ(s->sampler.border[3], 0x3f800000u);
  EXPECT_EQ(s->sampler.compare, CompareFunction::Lequal);  // CMP-1
  const auto t = parse_sampler("trilinear,address=mirror:clamp:wrap,lod_bias=-0.5");
  ASSERT_TRUE(t.ok());
  EXPECT_EQ(t->sampler.tcx, AddressMode::Mirror);
  EXPECT_EQ(t->sampler.tcz, AddressMode::Wrap);
  EXPECT_EQ(t->sampler.lod_bias, -128);
  EXPECT_EQ(t->sampler.mip_filter, MipFilter::Linear);
}

TEST(SamplerText, WrongWordsNameTheNearest) {
  const auto s = parse_sampler("linaer");
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.diagnostics()[0].message, "sampler: unknown word 'linaer'; did you mean 'linear'?");
  EXPECT_EQ(parse_sampler("max_lodd=3").diagnostics()[0].id, "sampler-key");
  EXPECT_EQ(parse_sampler("unnormalized=3").diagnostics()[0].id, "sampler-type");
}

}  // namespace
}  // namespace heddle::image
