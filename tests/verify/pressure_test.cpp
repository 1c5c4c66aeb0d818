// SPDX-License-Identifier: MIT
// Live bytes behind each instruction (PRS-1), counted by hand.
#include "verify/pressure.hpp"

#include <gtest/gtest.h>

#include "text/text.hpp"

namespace heddle::verify {
namespace {

struct Found {
  std::optional<isa::Program> program;
  Pressure pressure;
  [[nodiscard]] std::vector<std::uint32_t> bytes() const {
    std::vector<std::uint32_t> list;
    for (const Pressure::At& at : pressure.behind) list.push_back(at.bytes);
    return list;
  }
};

/// Each variable has 8 elements of 4 bytes: one register.
Found find(const std::string& body, const std::string& more = {}) {
  std::string text = ".version 4.1\n.kernel \"k\"\n";
  for (const char* name : {"a", "b", "c", "i", "n", "o", "s", "t"})
    text += std::string(".decl ") + name + " v_type=G type=d num_elts=8 align=GRF\n";
  text += ".decl P1 v_type=P num_elts=8\n" + more + ".input a offset=32 size=32\n.input n offset=64 size=32\n" + body;
  Found found;
  base::Diagnostics diagnostics;
  found.program = text::parse(text, "k.visaasm", {}, diagnostics);
  EXPECT_TRUE(found.program.has_value()) << (diagnostics.empty() ? "" : diagnostics.all()[0].message);
  if (!found.program) return found;
  auto pressure = find_pressure(found.program->objects[0], 32);
  EXPECT_TRUE(pressure.ok());
  found.pressure = *pressure;
  return found;
}

using Bytes = std::vector<std::uint32_t>;

TEST(Pressure, StraightCode) {
  const Found f = find(R"(    add (M1, 8) b(0,0)<1> a(0,0)<8;8,1> 0x1:d
    mul (M1, 8) c(0,0)<1> a(0,0)<8;8,1> b(0,0)<8;8,1>
    add (M1, 8) o(0,0)<1> c(0,0)<8;8,1> c(0,0)<8;8,1>
    ret (M1_NM, 1)
)");
  // a and b; c; o, which nobody reads; nothing.
  EXPECT_EQ(f.bytes(), (Bytes{64, 32, 32, 0}));
  EXPECT_EQ(f.pressure.start.bytes, 32u);  // a; n is not read
  EXPECT_EQ(f.pressure.greatest, 0u);
  EXPECT_EQ(f.pressure.most().bytes, 64u);
}

TEST(Pressure, ALoopKeepsWhatItsNextRoundReads) {
  const Found f = find(R"(    mov (M1, 8) i(0,0)<1> 0x0:d
    mov (M1, 8) s(0,0)<1> 0x0:d
again:
    add (M1, 8) s(0,0)<1> s(0,0)<8;8,1> i(0,0)<8;8,1>
    add (M1, 8) i(0,0)<1> i(0,0)<8;8,1> 0x1:d
    cmp.lt (M1, 8) P1 i(0,0)<8;8,1> n(0,0)<8;8,1>
    (P1) goto (M1, 8) again
    mov (M1, 8) o(0,0)<1> s(0,0)<8;8,1>
    ret (M1_NM, 1)
)");
  // n and i; then s too, until the loop is left; o alone.
  EXPECT_EQ(f.bytes(), (Bytes{64, 96, 96, 96, 96, 96, 96, 32, 0}));
  EXPECT_EQ(f.pressure.start.bytes, 32u);
  EXPECT_EQ(f.pressure.greatest, 1u);
  EXPECT_EQ(f.pressure.behind[5].predicates, 1u);
  EXPECT_EQ(f.pressure.behind[6].predicates, 0u);
}

TEST(Pressure, APredicatedWriteKeepsTheOtherLanes) {
  const auto with = [](const char* predicate) {
    return find(std::string("    mov (M1, 8) t(0,0)<1> 0x1:d\n    cmp.lt (M1, 8) P1 a(0,0)<8;8,1> 0x5:d\n    ") +
                predicate +
                "mov (M1, 8) t(0,0)<1> 0x2:d\n    mov (M1, 8) o(0,0)<1> t(0,0)<8;8,1>\n    ret (M1_NM, 1)\n");
  };
  EXPECT_EQ(with("(P1) ").bytes(), (Bytes{64, 32, 32, 32, 0}));
  // Overwritten, the first t is needed nowhere: it stands in its register behind its own instruction alone.
  EXPECT_EQ(with("").bytes(), (Bytes{64, 0, 32, 32, 0}));
  // sel writes every lane: its predicate chooses.
  const Found f = find(R"(    mov (M1, 8) t(0,0)<1> 0x1:d
    cmp.lt (M1, 8) P1 a(0,0)<8;8,1> 0x5:d
    (P1) sel (M1, 8) t(0,0)<1> a(0,0)<8;8,1> 0x3:d
    mov (M1, 8) o(0,0)<1> t(0,0)<8;8,1>
    ret (M1_NM, 1)
)");
  EXPECT_EQ(f.bytes(), (Bytes{64, 32, 32, 32, 0}));
}

TEST(Pressure, PartsOfAVariableLiveByThemselves) {
  const Found f = find(R"(    mov (M1, 4) w(0,0)<1> 0x1:d
    mov (M1, 4) w(0,4)<1> 0x2:d
    mov (M1, 4) b(0,0)<1> w(0,0)<4;4,1>
    mov (M1, 4) c(0,0)<1> half(0,0)<4;4,1>
    ret (M1_NM, 1)
)",
                       ".decl w v_type=G type=d num_elts=8 align=GRF\n"
                       ".decl half v_type=G type=d num_elts=4 align=dword alias=<w, 16>\n");
  // Four elements; eight; the second four and what was written; what was written.
  EXPECT_EQ(f.bytes(), (Bytes{16, 32, 32, 16, 0}));
}

TEST(Pressure, BranchesAndCallsAreFollowed) {
  const Found f = find(R"(    cmp.lt (M1, 8) P1 a(0,0)<8;8,1> 0x5:d
    (P1) goto (M1, 8) other
    mov (M1, 8) t(0,0)<1> 0x1:d
    goto (M1, 8) end
other:
    mov (M1, 8) t(0,0)<1> n(0,0)<8;8,1>
end:
    call (M1_NM, 1) sub
    mov (M1, 8) o(0,0)<1> t(0,0)<8;8,1>
    ret (M1_NM, 1)
.function "sub"
    add (M1, 8) t(0,0)<1> t(0,0)<8;8,1> a(0,0)<8;8,1>
    ret (M1_NM, 1)
)");
  // a is read by the subroutine, n on one of the two ways.
  EXPECT_EQ(f.pressure.start.bytes, 64u);
  EXPECT_EQ(f.bytes()[1], 64u);  // behind the branch: a and n
  EXPECT_EQ(f.bytes()[2], 64u);  // t and a
  EXPECT_EQ(f.bytes()[7], 64u);  // behind the call's jump: t and a
}

TEST(Pressure, ATakenAddressReachesItsVariable) {
  const Found f = find(R"(    mov (M1, 8) t(0,0)<1> 0x1:d
    addr_add (M1_NM, 1) A0(0)<1> &t 0x0:uw
    mov (M1, 8) b(0,0)<1> 0x2:d
    mov (M1, 8) o(0,0)<1> r[A0(0),0]<8;8,1>:d
    ret (M1_NM, 1)
)",
                       ".decl A0 v_type=A num_elts=1\n");
  EXPECT_EQ(f.bytes(), (Bytes{32, 32, 64, 32, 0}));
  EXPECT_EQ(f.pressure.behind[1].addresses, 1u);
  EXPECT_EQ(f.pressure.behind[3].addresses, 0u);
}

TEST(Pressure, HalvesOfAMessageAreWrittenOneByOne) {
  const Found f = find(R"(    gather4_scaled.R (M1, 16) T6 0x0:ud w.0 x.0
    gather4_scaled.R (M5, 16) T6 0x0:ud w.64 x.64
    add (M1, 16) y(0,0)<1> x(0,0)<16;16,1> x(2,0)<16;16,1>
    ret (M1_NM, 1)
)",
                       ".decl w v_type=G type=ud num_elts=32 align=GRF\n.decl x v_type=G type=d num_elts=32 align=GRF\n"
                       ".decl y v_type=G type=d num_elts=16 align=GRF\n.decl T6 v_type=T num_elts=1\n"
                       ".input w offset=96 size=128\n");
  EXPECT_EQ(f.pressure.start.bytes, 128u);
  EXPECT_EQ(f.bytes()[0], 64u + 64u);  // half of x, the offsets of the other half
  EXPECT_EQ(f.bytes()[1], 128u);       // x
  EXPECT_EQ(f.bytes()[2], 64u);
}

}  // namespace
}  // namespace heddle::verify
