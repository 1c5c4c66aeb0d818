// SPDX-License-Identifier: MIT
// Load and store messages of later releases: on which platforms they are right, and what is wrong with them.
// Rules: TXT-38, TXT-39, LD-11 to LD-14.
#include <gtest/gtest.h>

#include "verify/harness.hpp"

namespace heddle {
namespace {

struct Line {
  std::string_view platform, text, rule;  ///< no rule: nothing is wrong
};

TEST(NewerLsc, AreJudgedByPlatform) {
  constexpr Line kLines[] = {
      // Cache levels.
      {"XE3P", "lsc_load.ugm.ca.ca.uc (M1, 16) V40:d32 flat[V56]:a64", ""},
      {"PVC", "lsc_load.ugm.ca.ca.uc (M1, 16) V40:d32 flat[V56]:a64", "visa-lsc-cache"},
      {"XE3P", "lsc_load.ugm.ri.ca.uc (M1, 16) V40:d32 flat[V56]:a64", "visa-lsc-cache"},
      {"XE3P", "lsc_store.ugm.ca.ca.uc (M1, 16) flat[V56]:a64 V40:d32", "visa-lsc-cache"},
      {"XE3P", "lsc_store.ugm.wb.wb.uc (M1, 16) flat[V56]:a64 V40:d32", ""},
      {"XE3P", "lsc_atomic_iadd.ugm.uc.wb.uc (M1, 16) %null:d32 flat[V56]:a64 V41 %null", ""},
      {"XE3P", "lsc_atomic_iadd.ugm.ca.wb.uc (M1, 16) %null:d32 flat[V56]:a64 V41 %null", "visa-lsc-cache"},
      {"XE2", "lsc_load_quad.tgm.ca.ca (M1, 16) V40:d32.x bti(0x1)[V41]:a32", ""},
      {"PVC", "lsc_load_quad.tgm.ca.ca (M1, 16) V40:d32.x bti(0x1)[V41]:a32", "visa-lsc-cache"},
      // Addresses.
      {"XE3P", "lsc_load.ugm (M1, 16) V40:d32 flat(V50)[V41]:a32s", ""},
      {"PVC", "lsc_load.ugm (M1, 16) V40:d32 flat[V41]:a32s", "visa-lsc-address"},
      {"PVC", "lsc_load.ugm (M1, 16) V40:d32 flat(V50)[V56]:a64", "visa-lsc-address"},
      {"XE3P", "lsc_load.ugm (M1, 16) V40:d32 surf(V50)[V41]:a32u", ""},
      {"XE3P", "lsc_load.ugm (M1, 16) V40:d32 surf(V50)[V41]:a32", "visa-lsc-address"},
      {"XE3P", "lsc_load.ugm (M1, 16) V40:d32 surf(%null)[V41]:a32u", "visa-lsc-address"},
      {"XE2", "lsc_load.ugm (M1, 16) V40:d32 surf(V50)[V41]:a32u", "visa-lsc-address"},
      // Atomic operations.
      {"XE3P", "lsc_atomic_bfadd.ugm (M1, 16) V40:d16u32 flat[V56]:a64 V41 %null", ""},
      {"XE3", "lsc_atomic_bfadd.ugm (M1, 16) V40:d16u32 flat[V56]:a64 V41 %null", "visa-platform"},
      {"XE3P", "lsc_atomic_bfadd.ugm (M1, 16) V40:d32 flat[V56]:a64 V41 %null", "visa-lsc-shape"},
      {"XE3P", "lsc_atomic_bfcas.ugm (M1, 16) V40:d16u32 flat[V56]:a64 V41 %null", "visa-atomic-sources"},
      {"XE3P", "lsc_atomic_fadd.slm (M1, 16) V40:d32 flat[V41]:a32 V41 %null", ""},
      {"XE2", "lsc_atomic_fadd.slm (M1, 16) V40:d32 flat[V41]:a32 V41 %null", "visa-lsc-shape"},
      // Rectangles.
      {"XE2", "lsc_load_block2d.ugm (M1, 1) V54:d8.32x8nn flat[V50,0x3f,0x7,0x3f,V41+64,V41(0,1)]", ""},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V54:d8.32x8nn flat[V50,0x3f,0x7,0x3f,V41+64,V41(0,1)]", "visa-platform"},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V54:d8.32x8nn flat[V41+(0,0)]", ""},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V54:d8.128x8nn flat[V41+(0,0)]", "visa-lsc-block2d"},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V54:d8.32x8nn flat[%null+(0,0)]", "visa-lsc-block2d"},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V54:d8.32x8nn flat[V41(0,9)+(0,0)]", "visa-region-bounds"},
      {"PVC", "lsc_load_block2d.ugm (M1, 1) V41:d8.32x8nn flat[V40+(0,0)]", "visa-raw-bounds"},
      {"XE2", "lsc_load_block2d.tgm V54:16x8 bti(0x1)[V38,V39]", ""},
      {"XE2", "lsc_load_block2d.tgm V54:65x8 bti(0x1)[V38,V39]", "visa-lsc-block2d"},
      {"XE2", "lsc_load_block2d.tgm V41:20x8 bti(0x1)[V38,V39]", "visa-raw-bounds"},
      {"XE2", "lsc_load_block2d.tgm V54:16x8 flat[V38,V39]", "visa-lsc-address"},
      // Loads into nothing.
      {"PVC", "lsc_load.ugm (M1, 16) %null:d32 flat[V56]:a64", ""},
      {"PVC", "lsc_load_block2d.ugm.ca.ca (M1, 1) %null:d8.32x8nn flat[V50,0x3f,0x7,0x3f,V41,V41(0,1)]", ""},
      {"PVC", "lsc_load_quad.ugm (M1, 16) %null:d32.xy flat[V56]:a64", ""},
      {"PVC", "lsc_load.ugm (M1, 32) %null:d32x8 flat[V57]:a64", "visa-lsc-regs"},
      {"PVC", "lsc_store.ugm (M1, 16) flat[V56]:a64 %null:d32", "visa-raw-null"},
      // The end of a thread.
      {"XE3P", "raw_sendg_eot.0x3 (M1, 1) %null.0/0 V40.0/64 %null.0/0 %null(0,0)<0;1,0> %null(0,0)<0;1,0> 0x0", ""},
  };
  for (const Line& line : kLines) {
    const test::Verdict verdict = test::judge_text(test::program_of(line.text), test::platform_named(line.platform));
    EXPECT_TRUE(verdict.parsed) << line.text << "\n" << test::list(verdict.diagnostics);
    EXPECT_EQ(verdict.diagnostics.has_errors(), !line.rule.empty()) << line.platform << " " << line.text << "\n"
                                                                    << test::list(verdict.diagnostics);
    if (!line.rule.empty())
      EXPECT_NE(test::count(verdict.diagnostics, line.rule), 0u) << line.text << "\n"
                                                                 << test::list(verdict.diagnostics);
  }
}

}  // namespace
}  // namespace heddle
